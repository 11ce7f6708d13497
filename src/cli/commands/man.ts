import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { productVersion } from '../../server/base/version.js'
import { command } from '../command.js'
import { allCommands } from '../commands.js'
import { text } from '../framework/option.js'

/** `coffer man --to <dir>`: writes the manual pages of this release. */
export const man = command({
  path: ['man'],
  summary: 'Write the man pages',
  options: { to: text('Folder to write to', { placeholder: 'dir', required: true, completes: 'folder' }) },
  json: '{"pages":["<path>"]}',
  reach: 'none',
  offline: true,
  hidden: true,
  async run({ out }, { to }) {
    const { manPages } = await import('../help/man.js')
    const pages = manPages(await allCommands(), productVersion())
    await mkdir(to, { recursive: true })
    for (const page of pages) await writeFile(join(to, page.file), page.roff)
    const paths = pages.map((page) => join(to, page.file))
    await out.result({ pages: paths }, { print: () => out.done(`${paths.length} pages written to ${to}`) })
  },
})
