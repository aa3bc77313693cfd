// CIDs of prefixes of a file by the JavaScript importer of IPFS, one line each: `ALGORITHM LENGTH CID`.
// usage: node cids.mjs FILE LENGTH..      (in a folder with ipfs-unixfs-importer and blockstore-core)
import { readFileSync } from 'node:fs'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { MemoryBlockstore } from 'blockstore-core'

const PROFILES = {
  'cid-v0': { cidVersion: 0, rawLeaves: false, chunker: fixedSize({ chunkSize: 262144 }), layout: balanced({ maxChildrenPerNode: 174 }) },
  'cid-v1': { cidVersion: 1, rawLeaves: true, chunker: fixedSize({ chunkSize: 262144 }), layout: balanced({ maxChildrenPerNode: 174 }) },
  'cid-2025': { cidVersion: 1, rawLeaves: true, chunker: fixedSize({ chunkSize: 1048576 }), layout: balanced({ maxChildrenPerNode: 1024 }) }
}
const [path, ...lengths] = process.argv.slice(2)
const data = readFileSync(path)
for (const [name, profile] of Object.entries(PROFILES)) {
  for (const length of lengths.map(Number)) {
    let last
    for await (const entry of importer([{ content: data.subarray(0, length) }], new MemoryBlockstore(), profile)) last = entry.cid
    console.log(`importer ${name} ${length} ${Buffer.from(last.bytes).toString('hex')}`)
  }
}
