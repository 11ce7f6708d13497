/** Collects the licences of the packages in the bundle: their authors require that copies carry them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file of the licences. */
export const LICENCES = 'dist/LICENCES.txt'

/** Writes the licences of all packages from which files were bundled; returns their number. `metafile`: esbuild's account of them. */
export function writeLicences({ inputs }) {
  const folders = new Set(Object.keys(inputs).flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))
  for (const copied of ['@automerge/automerge', 'uplot']) folders.add(`node_modules/${copied}`)
  const texts = [...folders].map(licenceOf).sort()
  writeFileSync(LICENCES, `coffer contains these packages.\n\n${[...texts, JQ].join('\n\n')}\n`)
  return texts.length
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use,
copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const BSD_2 = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:
1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in
   the documentation and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE AUTHOR AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO,
THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE AUTHOR OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED
TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY
THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE
USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`

/** The program in jq.wasm of the package jq-wasm, which carries its own licence only. */
const JQ = `${'-'.repeat(80)}
jq 1.8.2, in jq.wasm (MIT)

Copyright (C) 2012 Stephen Dolan

${MIT}

jq contains Oniguruma (BSD-2-Clause)

Copyright (c) 2002-2021 K.Kosako. All rights reserved.

${BSD_2}

It also contains decNumber (ICU licence), and dtoa.c and g_fmt.c of David M. Gay. Their texts:
https://github.com/jqlang/jq/blob/jq-1.8.2/COPYING`

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e(?!.*\.(js|json)$)/i.test(one))
  const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}`
}
