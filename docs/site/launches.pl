# Doxygen's filter for CUDA: without <<<...>>> a launch reads as a call, so that
# Doxygen links it. Lines stay where they are.
undef $/;
$_ = <>;
s/<<<(.*?)>>>/"\n" x ($1 =~ tr|\n||)/gse;
print;
