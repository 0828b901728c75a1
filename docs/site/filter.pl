# Doxygen's filter for CUDA: without <<<...>>> a launch reads as a call, so that
# Doxygen links it, and what stands below Change: or Run: in the comment at the
# head keeps its columns. Lines stay where they are.
undef $/;
$_ = <>;
s/<<<(.*?)>>>/"\n" x ($1 =~ tr|\n||)/gse;
s{\A(/\*\*\n(?: \*(?!/).*\n)*?) \*\n( \* (?:Change|Run):(?:.*\n)*?) \*/}
    {"$1 * \@verbatim\n" . ($2 =~ s/^ \* ?//gmr) . "\@endverbatim */"}e;
print;
