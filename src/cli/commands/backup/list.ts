import { join, resolve } from 'node:path'
import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { amount, bytes, counted } from '../../terminal/output/format.js'
import { backupFolder } from './shared/words.js'

/** `coffer backup list`. */
export const list = command({
  path: ['backup', 'list'],
  summary: 'List the backups in a folder, oldest first',
  description: 'NEW is the size that the backup had to write; the rest is shared with earlier backups. No passphrase is needed.',
  options: {
    to: text('Folder with the backups; defaults to the setting backup.to', { placeholder: 'folder', completes: 'folder' }),
  },
  examples: [{ type: 'coffer backup list --to /mnt/disk/coffer', description: 'list as a table' }],
  json: '{"backups":[{"name","path","kind","made","node","position","counts","bytes","newBytes","sealed"}]}',
  reach: 'machine',
  offline: true,
  async run(context, { to }) {
    const { out } = context
    const folder = resolve(backupFolder(context, to))
    const { archivesIn } = await import('../../../store/backup/archive.js')
    const rows = (await archivesIn(folder)).map(({ name, kind, made, node, position, counts, storedBytes, newBytes, sealing }) => ({
      name,
      path: join(folder, name),
      kind,
      made,
      node,
      position: position.commit,
      counts,
      bytes: storedBytes,
      newBytes,
      sealed: sealing !== undefined,
    }))
    const size = (n: number, isTerminal: boolean): string => (isTerminal ? bytes(n) : String(n))
    await out.list(
      { backups: rows },
      {
        columns: [
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'CREATED', time: ({ made }) => made, drops: 'late' },
          { title: 'CONTENT', cell: ({ kind }) => (kind === 'node' ? 'node' : 'account'), drops: 'late' },
          { title: 'ACCOUNTS', cell: ({ counts }) => amount(counts['users'] ?? 0), align: 'right', drops: true },
          { title: 'EVENTS', cell: ({ counts }) => amount(counts['events'] ?? 0), align: 'right', drops: true },
          { title: 'SIZE', cell: (row, isTerminal) => size(row.bytes, isTerminal), align: 'right', drops: 'late' },
          { title: 'NEW', cell: ({ newBytes }, isTerminal) => size(newBytes, isTerminal), align: 'right', drops: true },
          { title: 'SEALED', cell: ({ sealed }) => (sealed ? 'yes' : 'no'), drops: true },
        ],
        rows,
        id: ({ path }) => path,
        count: rows.length === 0 ? `No backups in ${folder}` : counted(rows.length, 'backup'),
      },
    )
  },
})
