/* SPDX-License-Identifier: BSD-2-Clause */
/* `missing` for scripts: one JSON object, a module a line, every place that was tried. */
#include <inttypes.h>
#include <string.h>

#include "../model/words.h"
#include "missing.h"

const struct fold_module_id *missing_gnu_id(const struct rec_module *module)
{
	for (size_t i = 0; i < module->nids; i++)
		if (module->ids[i].kind == FOLD_ID_GNU)
			return &module->ids[i];
	return NULL;
}

void missing_hex(struct missing *m, const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		emit_printf(&m->emit, "%02x", at[i]);
}

const char *missing_result_word(enum module_try_result result)
{
	static const char *const words[] = {
		[TRY_ABSENT] = "absent", [TRY_TAKEN] = "taken", [TRY_NOTHING_NEW] = "adds nothing",
		[TRY_OTHER_BUILD] = "another build", [TRY_OTHER_LAYOUT] = "same id, other layout",
		[TRY_UNREADABLE] = "unreadable", [TRY_NO_ELF] = "no ELF file",
	};

	return words[result];
}

static const char *state_word(enum module_state state)
{
	static const char *const words[] = {
		[MODULE_UNTRIED] = "untried", [MODULE_NAMED] = "partly named", [MODULE_NOT_FOUND] = "not found",
		[MODULE_MISMATCH] = "another build", [MODULE_NO_SYMBOLS] = "stripped", [MODULE_UNREADABLE] = "unreadable",
		[MODULE_NO_ID] = "no id",
	};

	return words[state];
}

static void string(struct missing *m, const char *name, const char *at, size_t n)
{
	emit_printf(&m->emit, ",\"%s\":\"", name);
	emit_json(&m->emit, at, n);
	emit_char(&m->emit, '"');
}

static void tries(struct missing *m, uint32_t module)
{
	const struct module_try *v;
	size_t n = symbolizer_tries(m->symbolizer, module, &v);

	emit_str(&m->emit, ",\"tried\":[");
	for (size_t i = 0; i < n; i++) {
		emit_printf(&m->emit, "%s{\"result\":\"%s\"", i ? "," : "", missing_result_word(v[i].result));
		string(m, "path", v[i].path, strlen(v[i].path));
		emit_char(&m->emit, '}');
	}
	emit_char(&m->emit, ']');
}

static void ids(struct missing *m, const struct rec_module *module)
{
	const struct fold_module_id *gnu = missing_gnu_id(module);

	emit_str(&m->emit, ",\"ids\":[");
	for (size_t i = 0; i < module->nids; i++) {
		emit_printf(&m->emit, "%s{\"kind\":\"%s\",\"hex\":\"", i ? "," : "", id_kind_word(module->ids[i].kind));
		missing_hex(m, module->ids[i].bytes.at, module->ids[i].bytes.size);
		emit_str(&m->emit, "\"}");
	}
	emit_char(&m->emit, ']');
	if (!gnu || gnu->bytes.size < 2)
		return;
	emit_str(&m->emit, ",\"wanted\":\".build-id/");
	missing_hex(m, gnu->bytes.at, 1);
	emit_char(&m->emit, '/');
	missing_hex(m, gnu->bytes.at + 1, gnu->bytes.size - 1);
	emit_str(&m->emit, ".debug\",\"debuginfod\":\"/buildid/");
	missing_hex(m, gnu->bytes.at, gnu->bytes.size);
	emit_str(&m->emit, "/debuginfo\"");
}

static void show_module(struct missing *m, const struct unnamed_module *unnamed)
{
	const struct rec_module *module = &m->rec->modules[unnamed->module];
	struct module_status status = symbolizer_module(m->symbolizer, unnamed->module);
	struct fold_bytes name = recording_string(m->rec, module->name);

	emit_printf(&m->emit, "{\"samples\":%" PRIu64 ",\"self\":%" PRIu64, unnamed->samples, unnamed->selves);
	string(m, "name", (const char *)name.at, name.size);
	string(m, "kind", module_kind_word(module->kind), strlen(module_kind_word(module->kind)));
	string(m, "state", state_word(status.state), strlen(state_word(status.state)));
	if (status.file)
		string(m, "file", status.file, strlen(status.file));
	emit_printf(&m->emit, ",\"addresses\":%" PRIu64 ",\"unnamed\":%" PRIu64, status.named + status.unnamed, status.unnamed);
	ids(m, module);
	tries(m, unnamed->module);
	emit_char(&m->emit, '}');
}

void missing_json(struct missing *m)
{
	emit_printf(&m->emit, "{\"samples\":%" PRIu64 ",\"affected\":%" PRIu64 ",\"modules\":[", m->unnamed.samples, m->unnamed.affected);
	for (size_t i = 0; i < m->unnamed.n; i++) {
		emit_str(&m->emit, i ? ",\n" : "\n");
		show_module(m, &m->unnamed.v[i]);
	}
	emit_str(&m->emit, "]}\n");
	emit_flush(&m->emit);
}
