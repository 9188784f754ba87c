# SPDX-License-Identifier: MIT
# In an empty folder, with the programs in PATH: draws tables, trains, judges, and compares two networks in a study.
for group in 1 2 3 4 5 6; do # 6 kernels with 40 schedules each, made up
    awk -v k=$group 'BEGIN { print "unroll,vector,threads,ns"
        for (i = 0; i < 40; i++) { u = (7 * i + k) % 20; v = i % 4; t = 1 + i % 8
            print u "," v "," t "," 1000 * k + 90 * (u - 9) ^ 2 - 200 * v + int(4000 / t) } }' >kernel-$group.csv
done
tabular train --data kernel-1.csv kernel-2.csv kernel-3.csv --valid kernel-4.csv --out run --eval-every 100
tabular train --out run --resume # there is nothing left to do: it makes the scores and the report again
tabular eval --run run --data kernel-5.csv kernel-6.csv
tabular predict --run run --data kernel-5.csv --csv scores.csv
tabular inspect kernel-5.csv kernel-6.csv

cat >width.ini <<END
[study]
title = What the hidden layer is worth
seeds = 0..2
[16 channels]
[linear]
hidden = 0
END
tabular ablate --study width.ini --data kernel-1.csv kernel-2.csv kernel-3.csv --valid kernel-4.csv --out width
