# What every file of bats may load: load ends.

# ends STATUS COMMAND...: it ends so. What it says is in $output and ${lines[@]},
# and shown where the test fails.
ends() {
    local wanted=$1
    shift
    run "$@"
    echo "$* ends with $status: $output"
    [ "$status" -eq "$wanted" ]
}
