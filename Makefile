# fold: make, make test, make demo, make install.  Everything generated is under build/.
#   V=1 shows commands    DEV=1 strict warnings    SANITIZE=1 ASan+UBSan (use another BUILD=)
BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc
CLANG  ?= clang
AR     ?= ar
CFLAGS ?= -O2 -g

VERSION  := 0.1.0
ARCH     := $(shell uname -m)
BPF_ARCH := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))
TRIPLE   := $(shell $(CC) -print-multiarch)

cflags := -std=gnu11 -D_GNU_SOURCE -DFOLD_VERSION='"$(VERSION)"' -Wall -Wextra -Wno-unused-parameter -MMD -MP $(CFLAGS)
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
report_o := $(call objects,report report/model report/symbols report/output report/verbs)
bpf_o    := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bpf/*.bpf.c))

# The recorder is one static binary; a sanitized one cannot be.
record_libs := -lbpf -lelf -lz -lzstd
ifndef SANITIZE
record_ldflags := -static
endif
report_libs := -ldw -lelf -lzstd -liberty -lm -lpthread

.PHONY: all clean test demo deps install uninstall
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

# The programs travel inside the recorder.
$(BUILD)/record/programs.o: record/programs.S $(bpf_o)
	@mkdir -p $(@D)
	$(call q,AS,$<)$(CC) -I$(BUILD)/bpf -c -o $@ $<

$(BUILD)/fold-record: $(record_o) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(record_ldflags) $(LDFLAGS) -o $@ $^ $(record_libs)

$(BUILD)/fold-report: $(report_o) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ $(report_libs)

clean:
	rm -rf $(BUILD)

# ---- tests: one program per tests/unit/*.c, linked with all rooms but main
rooms_o = $(filter-out %/main.o,$(1))
unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*.c))
$(BUILD)/tests/unit/format_%: $(BUILD)/tests/unit/format_%.o $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ -lzstd
$(BUILD)/tests/unit/record_%: $(BUILD)/tests/unit/record_%.o $(call rooms_o,$(record_o)) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ $(record_libs)
$(BUILD)/tests/unit/report_%: $(BUILD)/tests/unit/report_%.o $(call rooms_o,$(report_o)) $(BUILD)/libfold.a
	$(call q,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ $(report_libs)
unit-tests: $(unit_tests)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
