# Draws ladder.svg from ladder.dat; make charts calls it with `name` set.
set terminal svg size 860, 420 font "sans-serif, 14" background "white" name name
set output "docs/charts/ladder.svg"
set title "Share of cuBLAS at M = N = K = 4096, float32, one NVIDIA H200"
set style data histograms
set style histogram clustered gap 0.6
set style fill solid 0.9 noborder
set boxwidth 0.8 relative
set xlabel "rung: gemm_01 to gemm_10" noenhanced
set yrange [0:115]
set ylabel "percent"
set grid ytics linecolor "#dddddd"
set tics nomirror scale 0
set border 3 linecolor "#888888"
unset key
set arrow from graph 0, first 100 to graph 1, first 100 nohead dashtype 2 \
    linecolor "#cc5500"
set label "cuBLAS" at graph 0.01, first 104 textcolor "#cc5500"
plot "docs/charts/ladder.dat" using 2:xtic(1) linecolor "#3b7a57", \
    "" using 0:($2 + 3):(sprintf($2 < 10 ? "%.1f" : "%.0f", $2)) with labels
