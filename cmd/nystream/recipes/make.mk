# A fit in parts by GNU make, on one machine or wherever SHELL runs a line:
#
#   make -j4 -f make.mk MODEL=m.npz PARTS=8 FIT='s3spsd big.parquet --kernel rbf --rank 50'
#
# Rounds: as many as nystream plan fit tells, each when all parts of the one before are done.
# If it tells "or more" the data decide, and make cannot: use nystream fit --runner.
# If a part fails: make -k does the others; the same command then does what is missing.
MODEL  ?= model.npz
PARTS  ?= 8
STATES ?= states
ROUNDS := $(shell nystream plan fit $(FIT) --format json | sed 's/.*"rounds":\[\([^]]*\)\].*/\1/' | tr , '\n' | grep -c .)
numbers := $(shell seq $(PARTS))

$(MODEL): $(numbers:%=$(STATES)/done/$(ROUNDS)-%)
	nystream fit $(FIT) --states $(STATES) -o $@
	rm -r $(STATES)/done

define round
$(STATES)/done/$(1)-%: $(if $(filter-out 1,$(1)),$(numbers:%=$(STATES)/done/$(shell expr $(1) - 1)-%)) | $(STATES)/done
	nystream fit $$(FIT) --states $$(STATES) --shard $$*/$$(PARTS)
	touch $$@
endef
$(foreach r,$(shell seq $(ROUNDS)),$(eval $(call round,$(r))))
$(STATES)/done: ; mkdir -p $@
