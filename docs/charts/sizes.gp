# Draws sizes.svg from sizes.dat; make charts calls it with `name` set.
set terminal svg size 860, 460 font "sans-serif, 14" background "white" name name
set output "docs/charts/sizes.svg"
set title "Share of cuBLAS by size M = N = K, float32, one NVIDIA H200"
set logscale x 2
set xtics (256, 512, 1024, 2048, 4096, 8192)
set xrange [230:9100]
set yrange [0:115]
set ylabel "percent"
set xlabel "M = N = K"
set grid ytics linecolor "#dddddd"
set tics nomirror scale 0
set border 3 linecolor "#888888"
set key outside right reverse Left title "gemm_..." noenhanced
set arrow from graph 0, first 100 to graph 1, first 100 nohead dashtype 2 \
    linecolor "#cc5500"
set palette defined (0 "#c8ddd0", 1 "#12452c")
unset colorbox
plot for [i=2:11] "docs/charts/sizes.dat" using 1:i with linespoints \
    linewidth 2 pointtype 7 pointsize 0.5 \
    linecolor palette frac (i - 2) / 9.0 title columnheader(i)
