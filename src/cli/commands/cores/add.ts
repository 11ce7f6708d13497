import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { duration, text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'

/** `coffer cores add <id>`. */
export const add = command({
  path: ['cores', 'add'],
  summary: 'Add a core to the platform, and write its join bundle',
  description:
    'Run it on the core where the platform was created: only that one can issue certificates. It writes an encrypted file, the bundle, and prints its passphrase once. On the new machine, coffer cores join <bundle> makes a node of it.\n\n' +
    'Transfer the bundle and the passphrase separately, such as the file with scp and the passphrase by telephone. Together they give full access to the platform. A bundle can be used once, until it expires; coffer cores revoke-token makes it unusable. Adding a core that has not joined yet replaces its bundle.\n\n' +
    'The certificate of the bundle identifies the new core to etcd: its name is the id of the core. If etcd has user accounts, create one with that name.',
  arguments: { id: text('Id of the new core, a host label in lower case', { required: true }) },
  options: {
    url: text('Public address of the new core; required when accounts are addressed by path', { placeholder: 'url' }),
    ip: text('Its IPv4 address, for the name servers of the platform', { placeholder: 'address' }),
    ipv6: text('Its IPv6 address, for the name servers of the platform', { placeholder: 'address' }),
    hosting: text('Key of its hosting', { placeholder: 'key' }),
    ttl: duration('Time for which the bundle can be used, such as 2h or 7d; defaults to 24h'),
    out: text('File to write the bundle to; defaults to <id>.bundle', { placeholder: 'file', completes: 'file' }),
    passphraseTo: text('Write the passphrase to a private file instead of stdout', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer cores add core-b --url https://b.example.org', description: 'write core-b.bundle, and print its passphrase' },
    { type: 'coffer cores add core-b --url https://b.example.org --ttl 2h --out /tmp/b.bundle --passphrase-to b.pass', description: 'with both in files' },
  ],
  json: '{"core":{"id","url"},"bundle":"file","passphrase","expiresAt"}; "passphraseTo" in place of the passphrase with --passphrase-to',
  reach: 'machine',
  offline: true,
  async run({ out, connect, terminal }, { id, url, ip, ipv6, hosting, ttl, out: to = `${id}.bundle`, passphraseTo }) {
    if (ttl !== undefined && ttl < 60) throw usageError('--ttl <duration> takes one minute or more')
    if (/[/\\]/.test(id)) throw usageError(`<id> takes a host label in lower case, not ${JSON.stringify(id)}`)
    const client = await connect()
    // Opened first: a bundle that cannot be written would leave a core that nothing can join as.
    const file = await wholeFile(to)
    const secret = passphraseTo === undefined ? undefined : await wholeFile(passphraseTo).catch(async (error: unknown) => {
      await file.drop()
      throw error
    })
    try {
      const params = { id, ...(ttl === undefined ? {} : { ttlSeconds: Math.floor(ttl) }), ...given({ url, ip, ipv6, hosting }) }
      const { core, bundle, passphrase, expiresAt } = await client.call('cores.add', params, {})
      try {
        await file.write(bundle)
        await secret?.write(`${passphrase}\n`)
        await secret?.done()
        await file.done()
      } catch (error) {
        await client.call('cores.remove', { id }, {}).catch(() => {})
        throw error
      }
      const shown = passphraseTo === undefined ? { passphrase } : { passphraseTo }
      await out.result({ core, bundle: to, ...shown, expiresAt }, {
        id,
        print: async () => {
          out.done(`Core ${id} added. The bundle is in ${to}, and can be used until ${out.time(expiresAt)}.`)
          out.note(`  On the new machine: coffer cores join ${to.split('/').at(-1) ?? to}`)
          if (passphraseTo !== undefined) return out.note(`  The passphrase is in ${passphraseTo}.`)
          out.note('  The passphrase is shown only once. Transfer it separately from the bundle:')
          if (!terminal.outIsTerminal) return out.line(passphrase)
          await out.line(`passphrase=${passphrase}`)
        },
      })
    } finally {
      await file.drop()
      await secret?.drop()
    }
  },
})

/** Returns the options that were given. */
const given = <T extends Record<string, string | undefined>>(options: T): Partial<Record<keyof T, string>> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Record<keyof T, string>>
