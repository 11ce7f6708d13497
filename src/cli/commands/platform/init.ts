import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Secret } from '../../../store/model/secret.js'
import { command } from '../../command.js'
import { assertUsableSettings, coreFiles, writeCoreFiles, writeCoreSettings } from '../../client/coreFiles.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { list, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { etcdSilent } from '../cores/shared/joinChecks.js'

/** Files of an existing certificate for etcd. */
interface EtcdFiles {
  etcdCa: string | undefined
  etcdCert: string | undefined
  etcdKey: string | undefined
}

/** `coffer platform init`. */
export const init = command({
  path: ['platform', 'init'],
  summary: 'Make this node the first core of a platform of several cores',
  description:
    'Creates the platform: its id, its key, and its certificate authority, both sealed in the store of this node. Writes the settings that several cores need, and makes explicit those that each core would otherwise choose itself. Afterwards, coffer cores add adds other cores. The names of accounts that exist are claimed at the next start. Fails on a node that belongs to a platform already.\n\n' +
    'Start etcd first, version 3.4 or newer (etcd-server in Debian): three members, or five for seven cores and more, with --auto-compaction-mode=periodic --auto-compaction-retention=1h --max-txn-ops=128. With https:// addresses, each core identifies itself by a certificate, which the authority of the platform issues unless --etcd-cert is given. Before etcd starts, coffer platform issue-certificate issues those of its members. If etcd does not answer, run the command again afterwards; it continues with the same keys.\n\n' +
    'Only this core can add others. Back it up: coffer backup create includes the keys.',
  options: {
    id: text('Id of this core, a host label in lower case, such as core-a', { required: true, placeholder: 'id' }),
    url: text('Public address of this core', { required: true, placeholder: 'url' }),
    etcd: list('Addresses of the members of etcd, comma-separated', { required: true, separator: ',', placeholder: 'urls' }),
    etcdCa: text('File with the certificate authority of the members, in PEM; defaults to that of the platform', { placeholder: 'file', completes: 'file' }),
    etcdCert: text('File with a certificate for this core, in PEM, in place of a new one', { placeholder: 'file', completes: 'file' }),
    etcdKey: text('File with the key of --etcd-cert, in PEM', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer platform init --id core-a --url https://a.example.org --etcd https://10.0.0.1:2379,https://10.0.0.2:2379,https://10.0.0.3:2379', description: 'create a platform' },
    { type: 'coffer platform init --id core-a --url https://a.example.org --etcd https://10.0.0.1:2379 --etcd-ca ca.pem --etcd-cert core-a.crt --etcd-key core-a.key', description: 'with certificates of your own authority' },
  ],
  json: '{"platform","core","url","etcd":["url"],"ca":"file","config"}',
  reach: 'machine',
  offline: true,
  async run(context, { id, url, etcd, ...given }) {
    const { out, paths, env, connect, commandFor } = context
    await assertOptions(id, url, etcd, given)
    const client = await connect()
    const created = await client.call('platform.init', { id, url: url.endsWith('/') ? url : `${url}/`, etcd }, {})
    const usesTls = etcd.some((endpoint) => endpoint.startsWith('https:'))
    const files = coreFiles(paths.home)
    const own = usesTls && given.etcdCert === undefined
    await writeCoreFiles(paths.home, { ca: created.caPem, ...(own ? { etcdCert: created.etcdCert, etcdKey: created.etcdKey } : {}) })
    const tls = {
      'platform.etcdCa': usesTls ? absolute(given.etcdCa) ?? files.ca : null,
      'platform.etcdCert': usesTls ? absolute(given.etcdCert) ?? files.etcdCert : null,
      'platform.etcdKey': usesTls ? absolute(given.etcdKey) ?? files.etcdKey : null,
    }
    const settings = { ...tls, ...created.settings }
    await assertUsableSettings(paths, env, settings)
    await assertEtcd(etcd, tls, usesTls ? `If etcd refuses the certificate, pass it ${files.ca} as --trusted-ca-file. Then run the command again.` : 'Start etcd, and run the command again.')
    await writeCoreSettings(paths, settings)
    await out.result({ platform: created.platform, core: id, url: created.settings['core.url'], etcd, ca: files.ca, config: paths.config }, {
      id: created.platform,
      print: () => {
        out.done(`Platform ${created.platform} created; this node is its core ${id}.`)
        out.note(client.kind === 'offline' ? `  Next: ${commandFor('start')}` : `  The settings apply after: ${commandFor('restart')}`)
        if (created.accounts > 0) out.note(`  The names of ${counted(created.accounts, 'account')} are claimed then; coffer platform check prints the result.`)
        out.note(`  Then add a core: ${commandFor('cores', 'add', 'core-b', '--url', 'https://b.example.org')}`)
        out.note(`  Only this core can add others. Back up its keys: ${commandFor('backup', 'create')}`)
      },
    })
  },
})

const absolute = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path))

/** Checks the options as the settings are checked. @throws CommandError 2 */
async function assertOptions(id: string, url: string, etcd: readonly string[], { etcdCert, etcdKey }: EtcdFiles): Promise<void> {
  const [{ readValue }, { SINGLE }] = await Promise.all([import('../../../server/config/readValue.js'), import('../../../server/config/settings/platform.js')])
  const problems = [
    ['--id <id>', readValue('core.id', id)],
    ['--url <url>', readValue('core.url', url)],
    ['--etcd <urls>', readValue('platform.etcd', etcd)],
  ] as const
  for (const [option, reading] of problems) if ('wrong' in reading) throw usageError(`${option} is not valid: ${reading.wrong}`, 'See: coffer platform init --help')
  if (id === SINGLE) throw usageError(`--id <id> takes another id than ${SINGLE}, which stands for the only core of a platform`)
  if ((etcdCert === undefined) !== (etcdKey === undefined)) throw usageError('--etcd-cert and --etcd-key belong together')
}

/** Checks that a member of etcd answers. @throws CommandError 5 for a file that cannot be read, 69 */
async function assertEtcd(endpoints: readonly string[], tls: Record<'platform.etcdCa' | 'platform.etcdCert' | 'platform.etcdKey', string | null>, hint: string): Promise<void> {
  const read = async (path: string | null): Promise<string | undefined> => {
    if (path === null) return undefined
    return readFile(path, 'utf8').catch((cause: unknown) => {
      throw new CommandError(`${path} cannot be read.`, { exit: 5, cause })
    })
  }
  const { probeEtcd } = await import('../../../server/platform/joining/etcdProbe.js')
  const [caPem, certPem, keyPem] = [await read(tls['platform.etcdCa']), await read(tls['platform.etcdCert']), await read(tls['platform.etcdKey'])]
  const members = await probeEtcd({ endpoints, caPem, certPem, keyPem: keyPem === undefined ? undefined : new Secret(keyPem) })
  if (members.every(({ problem }) => problem !== null)) throw etcdSilent(members, hint)
}
