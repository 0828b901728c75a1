# make test-aarch64: the simulator's tests on 64-bit Arm, under qemu-user.
. common/make/lib.sh
[ -x tests/aarch64/run ] || fail "test-aarch64: tests/aarch64/run is missing"
exec tests/aarch64/run "$@"
