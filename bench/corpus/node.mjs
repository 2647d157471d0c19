// Writes odd but valid files by DuckDB and apache-arrow, with what they hold beside them.
import fs from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import * as arrow from "apache-arrow";

const out = process.argv[2];
const hex = (v) => (v === null || v === undefined ? null : Number.isNaN(Number(v)) ? "NaN" : Number(v) === Infinity ? "Inf" : Number(v) === -Infinity ? "-Inf" : String(Number(v)));
function sidecar(path, writer, columns) {
  fs.writeFileSync(path + ".json", JSON.stringify({ writer, columns: columns.map(([name, kind, values]) => ({ name, kind, values: values.map((v) => (kind === "text" ? (v === null ? null : String(v)) : hex(v))) })) }));
}

const duck = await (await DuckDBInstance.create()).connect();
const rows = 300;
const types = {
  tinyint: "(i % 100)::TINYINT", smallint: "(i * 7 - 900)::SMALLINT", integer: "(i * 100003)::INTEGER", bigint: "(i * 4000000007)::BIGINT",
  utinyint: "(i % 256)::UTINYINT", usmallint: "(i * 7)::USMALLINT", uinteger: "(i * 14000000)::UINTEGER", ubigint: "(i * 4000000007)::UBIGINT",
  float: "(i / 7.0)::FLOAT", double: "(i / 7.0)::DOUBLE", dec4: "(i / 100.0)::DECIMAL(4,2)", dec9: "(i / 7.0)::DECIMAL(9,4)", dec18: "(i / 7.0)::DECIMAL(18,6)", dec30: "(i / 7.0)::DECIMAL(30,10)",
  boolean: "(i % 3 = 0)", constant: "3.5::DOUBLE", nulls: "CASE WHEN i % 5 = 0 THEN NULL ELSE i / 3.0 END", allnull: "NULL::DOUBLE", special: "CASE i % 4 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE WHEN 2 THEN '-inf'::DOUBLE ELSE -0.0::DOUBLE END",
  few: "(i % 5) / 10.0::DOUBLE", hugeint: "i::HUGEINT",
};
const texts = { varchar: "'t' || (i % 7)", unicode: "chr(26085) || i", nulltext: "CASE WHEN i % 2 = 0 THEN NULL ELSE 'x' || i END", enum: "(['a','b','c'])[1 + i % 3]::ENUM('a','b','c')", uuidlike: "md5(i::VARCHAR)" };
const left = { date: "DATE '2020-01-01' + i::INTEGER", timestamp: "TIMESTAMP '2020-01-01' + to_seconds(i)", interval: "to_days(i::INTEGER)", blob: "'ab'::BLOB", list2: "[[i],[i]]", };
const struct = "{'a': i, 'b': 'x'}";
const vector = "[i / 3.0, i, -i]::DOUBLE[3]", list = "[i / 3.0, i]::DOUBLE[]";
async function values(expression) {
  const r = await duck.runAndReadAll(`SELECT (${expression})::DOUBLE AS v FROM range(${rows}) t(i)`);
  return r.getRows().map((x) => x[0]);
}
async function strings(expression) {
  const r = await duck.runAndReadAll(`SELECT (${expression})::VARCHAR AS v FROM range(${rows}) t(i)`);
  return r.getRows().map((x) => x[0]);
}
const number = {}, text = {};
for (const [k, e] of Object.entries(types)) number[k] = await values(e);
for (const [k, e] of Object.entries(texts)) text[k] = await strings(e);
const v0 = await Promise.all([values("i / 3.0"), values("i"), values("-i")]);
async function write(name, expressions, columns, options) {
  const path = `${out}/duckdb_${name}`;
  const select = expressions.map(([n, e]) => `${e} AS "${n}"`).join(", ");
  await duck.run(`COPY (SELECT ${select} FROM range(${rows}) t(i)) TO '${path}' (${options})`);
  sidecar(path, "DuckDB", columns);
}
for (const codec of ["uncompressed", "snappy", "zstd", "gzip", "lz4_raw", "brotli"]) {
  for (const version of ["V1", "V2"]) {
    for (const [k, e] of Object.entries(types)) {
      if (codec !== "snappy" && codec !== "zstd" && version === "V1") continue;
      await write(`${k}_${codec}_${version}.parquet`, [[k, e], ["keep", "'k' || i"]], [[k, "number", number[k]], ["keep", "text", await strings("'k' || i")]], `FORMAT parquet, COMPRESSION ${codec}, PARQUET_VERSION ${version}, ROW_GROUP_SIZE 128`);
    }
  }
}
for (const [k, e] of Object.entries(texts)) await write(`text_${k}.parquet`, [["x", "i"], [k, e]], [["x", "number", await values("i")], [k, "text", text[k]]], "FORMAT parquet");
for (const [k, e] of Object.entries(left)) await write(`left_${k}.parquet`, [["x", "i"], [k, e]], [["x", "number", await values("i")], [k, "left", []]], "FORMAT parquet");
await write("struct.parquet", [["x", "i"], ["o", struct]], [["x", "number", await values("i")], ["o.a", "number", await values("i")], ["o.b", "text", await strings("'x'")]], "FORMAT parquet");
await write("map.parquet", [["x", "i"], ["m", "MAP {'a': i}"]], [["x", "number", await values("i")], ["m.key_value.key", "left", []], ["m.key_value.value", "left", []]], "FORMAT parquet");
await write("time.parquet", [["t", "TIME '01:02:03'"], ["x", "i"]], [["t", "left", []], ["x", "number", await values("i")]], "FORMAT parquet");
await write("list.parquet", [["v", list]], [["v.0", "number", v0[0]], ["v.1", "number", v0[1]]], "FORMAT parquet");
await write("array.parquet", [["v", vector], ["x", "i"]], [["v.0", "number", v0[0]], ["v.1", "number", v0[1]], ["v.2", "number", v0[2]], ["x", "number", v0[1]]], "FORMAT parquet");
const plain = ["double", "integer", "nulls", "constant", "few"];
const mixed = [...plain.map((k) => [k, types[k]]), ["varchar", texts.varchar]], wanted = [...plain.map((k) => [k, "number", number[k]]), ["varchar", "text", text.varchar]];
for (const [name, options] of Object.entries({ "a.csv": "FORMAT csv, HEADER", "b.csv": "FORMAT csv, HEADER, DELIMITER ';'", "c.tsv": "FORMAT csv, HEADER, DELIMITER '\t'", "d.csv": "FORMAT csv, HEADER, NULLSTR 'NA'", "e.csv": "FORMAT csv, HEADER, FORCE_QUOTE *", "f.csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip", "g.csv.zst": "FORMAT csv, HEADER, COMPRESSION zstd" }))
  await write(name, mixed, wanted, options);
for (const [name, options] of Object.entries({ "a.jsonl": "FORMAT json", "b.ndjson": "FORMAT json", "c.json": "FORMAT json", "d.jsonl.gz": "FORMAT json, COMPRESSION gzip" })) {
  await write(name, [...mixed, ["v", vector], ["b", types.boolean], ["o", struct]], [...wanted, ["v.0", "number", v0[0]], ["v.1", "number", v0[1]], ["v.2", "number", v0[2]], ["b", "number", number.boolean], ["o", "left", []]], options);
}

// apache-arrow: every type, in files and streams, in one batch and in several.
const n = 100, seq = Array.from({ length: n }, (_, i) => i);
const arrowTypes = {
  int8: [new arrow.Int8(), seq.map((i) => i - 50)], int16: [new arrow.Int16(), seq.map((i) => i * 300 - 50)], int32: [new arrow.Int32(), seq.map((i) => i * 1e7)], int64: [new arrow.Int64(), seq.map((i) => BigInt(i) * 5000000001n)],
  uint8: [new arrow.Uint8(), seq], uint16: [new arrow.Uint16(), seq.map((i) => i * 600)], uint32: [new arrow.Uint32(), seq.map((i) => i * 4e7)], uint64: [new arrow.Uint64(), seq.map((i) => BigInt(i) * 5000000001n)],
  float32: [new arrow.Float32(), seq.map((i) => Math.fround(i / 7))], float64: [new arrow.Float64(), seq.map((i) => i / 7)], bool: [new arrow.Bool(), seq.map((i) => i % 3 === 0)],
};
for (const [name, [type, data]] of Object.entries(arrowTypes)) {
  for (const nulls of [false, true]) {
    for (const kind of ["file", "stream"]) {
      const shown = data.map((v, i) => (nulls && i % 4 === 1 ? null : v));
      const table = new arrow.Table({ x: arrow.vectorFromArray(shown, type), s: arrow.vectorFromArray(seq.map((i) => "t" + i), new arrow.Utf8()), d: arrow.vectorFromArray(seq.map((i) => "c" + (i % 3))) });
      const path = `${out}/arrowjs_${name}_${nulls}.${kind === "file" ? "arrow" : "arrows"}`;
      const both = kind === "file" ? table : table;
      fs.writeFileSync(path, arrow.tableToIPC(both, kind));
      sidecar(path, "apache-arrow", [["x", "number", shown.map((v) => (v === null ? null : Number(v)))], ["s", "text", seq.map((i) => "t" + i)], ["d", "text", seq.map((i) => "c" + (i % 3))]]);
    }
  }
}
process.exit(0);
