# fold: make, make test, make demo, make install.  Everything generated is under build/.
#   V=1 shows commands    DEV=1 strict warnings    SANITIZE=1 ASan+UBSan (use another BUILD=)
BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc
CLANG  ?= clang
AR     ?= ar
LLVM_STRIP ?= llvm-strip
CFLAGS ?= -O2 -g

VERSION  := 0.1.0
ARCH     := $(shell uname -m)
BPF_ARCH := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))
jobs     := $(shell nproc)
TRIPLE   := $(shell $(CC) -print-multiarch)

cflags := -std=gnu11 -D_GNU_SOURCE -DFOLD_VERSION='"$(VERSION)"' -Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections -MMD -MP $(CFLAGS)
ifdef DEV
cflags += -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wpointer-arith -Wwrite-strings
endif
ifdef SANITIZE
cflags  += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
endif
ifndef V
q = @echo '  $(1)  $(2)';
endif

objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addsuffix /*.c,$(1))))
format_o := $(call objects,format)
record_o := $(call objects,record record/unwind) $(BUILD)/record/programs.o
report_o := $(call objects,report report/model report/rewrite report/symbols report/output report/verbs)
bpf_o    := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bpf/*.bpf.c))
ifneq ($(ARCH),x86_64) # the walker knows no other registers yet
bpf_o    := $(filter-out %unwind.bpf.o,$(bpf_o))
endif

# The recorder is one static binary; a sanitized one cannot be.
record_libs := -lbpf -lelf -lz -lzstd
ifndef SANITIZE
record_ldflags := -static -Wl,--gc-sections
endif
report_libs := -lelf -lzstd -lz -llzma -liberty -lm -lpthread

.PHONY: all clean deps test test-deps test-programs sanitize fuzz golden demo bench install uninstall
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/fold-record $(BUILD)/fold-report

$(BUILD)/libfold.a: $(format_o)
	$(call q,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call q,CC,$<)$(CC) $(cflags) -c -o $@ $<

# BPF programs: -g gives the BTF that describes maps; no vmlinux BTF is needed for sample.bpf.c.
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call q,CLANG,$<)$(CLANG) -target bpf -O2 -g -mcpu=v2 -Wall -D__TARGET_ARCH_$(BPF_ARCH) -I/usr/include/$(TRIPLE) -MMD -MP -MT $@ -c -o $@ $<
	@$(LLVM_STRIP) -g $@ # the BTF stays, the DWARF has no reader

# What travels inside the recorder is packed: it goes to every host.
$(BUILD)/bpf/%.bpf.gz: $(BUILD)/bpf/%.bpf.o
	$(call q,GZIP,$<)gzip -9nc $< > $@

# The recorder is to be small: its time is the kernel's, but its bytes go to every host.
# Only the tables of its walker are much work.
$(BUILD)/record/%.o: cflags += -Os
$(BUILD)/record/unwind/%.o: cflags += -O2

# The programs travel inside the recorder.
$(BUILD)/record/programs.o: record/programs.S $(bpf_o:.o=.gz)
	@mkdir -p $(@D)
	$(call q,AS,$<)$(CC) -I$(BUILD)/bpf -c -o $@ $<

$(BUILD)/fold-record: $(record_o) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(record_ldflags) $(LDFLAGS) -o $@ $^ $(record_libs)

# Pages and the JSON schema travel inside the reporter.
$(BUILD)/report/output/asset.o: $(wildcard report/output/web/* report/output/*.schema.json)

$(BUILD)/fold-report: $(report_o) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ $(report_libs)

clean:
	rm -rf $(BUILD)

# ---- packages
deps:
	@tests/install-packages build
test-deps:
	@tests/install-packages build test 'readers?'

# ---- install
bindir := $(DESTDIR)$(PREFIX)/bin
mandir := $(DESTDIR)$(PREFIX)/share/man/man1
manual := $(wildcard record/*.1 report/*.1)
install: all
	install -d $(bindir) $(mandir)
	install -m 755 $(BUILD)/fold-record $(BUILD)/fold-report $(bindir)
	strip $(bindir)/fold-record $(bindir)/fold-report
	$(if $(manual),install -m 644 $(manual) $(mandir))
uninstall:
	rm -f $(bindir)/fold-record $(bindir)/fold-report $(addprefix $(mandir)/,$(notdir $(manual)))

demo: deps
	@$(MAKE) --no-print-directory -j$(jobs) all
	@tests/demo/demo $(BUILD)

# ---- tests: one program per tests/unit/*.c, linked with all of its room but main
rooms_o    = $(filter-out %/main.o,$(1))
unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*.c))
$(BUILD)/tests/unit/format_%: $(BUILD)/tests/unit/format_%.o $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ -lzstd
$(BUILD)/tests/unit/record_%: $(BUILD)/tests/unit/record_%.o $(call rooms_o,$(record_o)) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ $(record_libs)
$(BUILD)/tests/unit/report_%: $(BUILD)/tests/unit/report_%.o $(call rooms_o,$(report_o)) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ $(report_libs)

# Recordings from a seed, for agreement, fuzz seeds and scale.
$(BUILD)/tests/gen/gen: $(call objects,tests/gen) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ -lzstd

# Golden files are made once and committed; a new one is an entry in make.c.
$(BUILD)/tests/golden/make: $(BUILD)/tests/golden/make.o $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ -lzstd
golden: $(BUILD)/tests/golden/make
	$< tests/golden

fuzz:
	tests/fuzz/run $(or $(SECONDS),60)

bench:
	@$(MAKE) --no-print-directory -j$(jobs) all test-programs
	@for script in tests/bench/*.sh; do echo "== $$script"; SRC=$(CURDIR) BUILD=$(abspath $(BUILD)) \
		FOLD_RECORD=$(abspath $(BUILD))/fold-record FOLD_REPORT=$(abspath $(BUILD))/fold-report $$script; done

test-programs: $(unit_tests) $(BUILD)/tests/gen/gen
sanitize:
	@$(MAKE) --no-print-directory -j$(jobs) SANITIZE=1 BUILD=$(BUILD)/sanitize all test-programs
test: test-deps
	@$(MAKE) --no-print-directory -j$(jobs) all test-programs
	@$(MAKE) --no-print-directory sanitize
	@BUILD=$(BUILD) tests/run $(TESTS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
