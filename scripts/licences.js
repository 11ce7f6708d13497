/** Collects the licences of the packages in the bundle: their authors require that copies carry them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file of the licences. */
export const LICENCES = 'dist/LICENCES.txt'

/** Writes the licences of all packages from which files were bundled; returns their number. `metafile`: esbuild's account of them. */
export function writeLicences({ inputs }) {
  const folders = new Set(Object.keys(inputs).flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))
  folders.add('node_modules/@automerge/automerge')
  const texts = [...folders].map(licenceOf).sort()
  writeFileSync(LICENCES, `coffer contains these packages.\n\n${[...texts, JQ].join('\n\n')}\n`)
  return texts.length
}

/** The program in jq.wasm of the package jq-wasm, which carries its own licence only. */
const JQ = `${'-'.repeat(80)}
jq 1.8.2, in jq.wasm (MIT)

Copyright (C) 2012 Stephen Dolan. With Oniguruma (BSD-2-Clause), decNumber (ICU), and dtoa.c and g_fmt.c of David M. Gay.
Their texts: https://github.com/jqlang/jq/blob/jq-1.8.2/COPYING`

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e(?!.*\.(js|json)$)/i.test(one))
  const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}`
}
