import { resolve } from 'node:path'
import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { bytes } from '../../terminal/output/format.js'
import { countLines } from './shared/words.js'

/** `coffer backup show`. */
export const show = command({
  path: ['backup', 'show'],
  summary: 'Show the contents of a backup',
  description: 'Reads the description of the archive, which needs no passphrase and contains no names. Use coffer backup verify to check that it is correct.',
  arguments: { path: text('Path of the backup', { required: true, completes: 'folder', names: 'backup' }) },
  examples: [{ type: 'coffer backup show /mnt/disk/coffer/2026-11-22T203000Z', description: 'show its time, size and contents' }],
  json: '{"backup":{"name","kind","made","product","node","format","position","base","counts","bytes","storedBytes","newBytes","members","sealed"}}',
  reach: 'machine',
  offline: true,
  async run({ out, home }, { path }) {
    const [{ readManifest }, { archiveProblem }] = await Promise.all([
      import('../../../store/backup/manifest.js'),
      import('./shared/problems.js'),
    ])
    const manifest = await readManifest(resolve(path)).catch((error: unknown) => {
      throw archiveProblem(error, home)
    })
    const { name, kind, made, product, node, format, position, base, counts, bytes: clear, storedBytes, newBytes, members, sealing } = manifest
    const facts = { name, kind, made, product, node, format, position, ...(base === undefined ? {} : { base }), counts, bytes: clear, storedBytes, newBytes, members }
    const backup = { ...facts, sealed: sealing !== undefined }
    await out.result(
      { backup },
      {
        id: facts.name,
        print: async () => {
          await out.line(`${facts.name}   ${facts.kind === 'node' ? 'a whole node' : 'one account'}, created ${out.time(facts.made)} by coffer ${product}`)
          await out.line(`  node      ${facts.node}, format ${facts.format}, after ${facts.position.commit} commits`)
          await out.line(`  size      ${bytes(facts.storedBytes)}, ${bytes(facts.newBytes)} written for this backup${facts.base === undefined ? '' : `; the rest shared with ${facts.base}`}`)
          await out.line(`  sealed    ${sealing === undefined ? 'no: anyone who reads it has the node' : 'with a passphrase (Argon2id)'}`)
          for (const line of countLines(facts.counts)) await out.line(line)
        },
      },
    )
  },
})
