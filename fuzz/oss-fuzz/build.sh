#!/bin/bash
# Builds all fuzz targets into $OUT, with their seeds and dictionaries, as the base image of oss-fuzz expects it. Elsewhere:
# make oss-fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ -n "${SRC:-}" ] && cd "$SRC/holdall" || cd ../..
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
triple=$(rustc -vV | sed -n 's/^host: //p')

cargo fuzz build -O --debug-assertions --sanitizer "${SANITIZER:-address}" --target "$triple"
seeds=$(mktemp -d)
python3 fuzz/seeds.py --to "$seeds"
for target in fuzz/src/bin/*.rs; do
  name=$(basename "$target" .rs)
  cp "fuzz/target/$triple/release/$name" "$OUT/"
  (cd "$seeds/$name" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
  if [ -s "$seeds/$name.dict" ]; then cp "$seeds/$name.dict" "$OUT/"; fi
done
rm -r "$seeds"
