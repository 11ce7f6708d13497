import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Bundle } from '../../../server/platform/joining/bundle.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { coreFiles, assertUsableSettings, writeCoreFiles, writeCoreSettings } from '../../client/coreFiles.js'
import { assertHomeAccessible } from '../../client/homeChecks.js'
import { CommandError } from '../../framework/exit.js'
import { inputFile } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { STDIN } from '../../terminal/input/text.js'
import { openBundle } from './shared/openBundle.js'
import { assertClock, assertEtcdAnswers, assertVersion } from './shared/joinChecks.js'

/** `coffer cores join <bundle>`. */
export const join = command({
  path: ['cores', 'join'],
  summary: 'Make this node a core of a platform, with a join bundle',
  description:
    'Reads the bundle that coffer cores add wrote on another core, and prompts for its passphrase. Creates the node if there is none; for another storage of its key than a file, run coffer init first. A node with accounts cannot join: their names may exist on the platform.\n\n' +
    'Before anything is written, it checks that the clocks differ by at most 30 seconds, and that etcd and the platform can be reached from here. Then it writes the shared settings and the certificates, stores the key of the platform sealed with the key of this node, acknowledges itself to the platform, and deletes the bundle. If the platform refuses, the bundle is kept.\n\n' +
    'A wrong passphrase sends nothing. If only the acknowledgement failed, repeat it with coffer cores ack.',
  arguments: { bundle: inputFile('Bundle', { required: true }) },
  options: { passphraseFile: inputFile('Read the passphrase of the bundle from a file') },
  examples: [
    { type: 'coffer cores join core-b.bundle', description: 'join, and prompt for the passphrase' },
    { type: 'coffer cores join core-b.bundle --passphrase-file b.pass --home /srv/coffer', description: 'without a prompt, in another home' },
  ],
  json: '{"core","platform","cores":["id"],"config"}; cores are those of the platform',
  reach: 'machine',
  offline: true,
  async run(context, { bundle: file, passphraseFile }) {
    const { out, paths, connect, commandFor } = context
    assertHomeAccessible(paths.home)
    const bundle = await openBundle(context, file, passphraseFile)
    const settings = await settingsFor(context, bundle)
    await assertVersion(bundle)
    await assertClock(bundle, () => context.now() * 1000)
    await assertEtcdAnswers(bundle)
    await createNode(context)
    const client = await connect()
    const { cluster, node, platformSecrets, etcd } = bundle
    const { platform } = platformSecrets
    await client.call('platform.adopt', { platform: platform.id, key: platform.key, core: node.id, ackUrl: cluster.ackUrl, token: cluster.joinToken, caPem: cluster.ca.certPem }, {})
    await writeCoreFiles(paths.home, { ca: cluster.ca.certPem, etcdCa: etcd.caPem, etcdCert: etcd.certPem, etcdKey: etcd.keyPem, coreCert: node.certPem, coreKey: node.keyPem })
    await writeCoreSettings(paths, settings)
    const answer = await client.call('cores.ack', {}, {}).catch((error: unknown) => {
      if (file !== STDIN) out.note(`The bundle ${file} was kept, and the settings are written. To try again: ${commandFor('cores', 'ack')}`)
      throw error
    })
    if (file !== STDIN) await rm(file, { force: true })
    await out.result({ core: answer.core, platform: platform.id, cores: answer.cores, config: paths.config }, {
      id: answer.core,
      print: () => {
        out.done(`This node is the core ${answer.core}, on a platform of ${counted(answer.cores.length, 'core')}.${file === STDIN ? '' : ' The bundle was deleted.'}`)
        out.note(client.kind === 'offline' ? `  Next: ${commandFor('start')}` : `  The settings apply after: ${commandFor('restart')}`)
      },
    })
  },
})

/** Returns the settings to write. @throws CommandError 6 for a node of another platform, ConfigError for unusable settings */
async function settingsFor({ paths, env }: Context, bundle: Bundle): Promise<Record<string, unknown>> {
  const [{ settingsOfBundle }, { loadConfig }] = await Promise.all([import('../../../server/platform/joining/bundle.js'), import('../../../server/config/config.js')])
  const config = loadConfig({ file: paths.config, env })
  const settings = settingsOfBundle(bundle, coreFiles(paths.home))
  for (const key of ['platform.id', 'core.id'] as const) {
    const own = config.get(key)
    if (config.get('platform.id') !== null && own !== settings[key]) {
      throw new CommandError(`This node has ${key} = ${String(own)}, and the bundle is for ${String(settings[key])}.`, { exit: 6, hint: 'Join with a new node: pass another folder with --home.' })
    }
  }
  await assertUsableSettings(paths, env, settings)
  return settings
}

/** Creates the node, unless there is one. */
async function createNode({ paths, out }: Context): Promise<void> {
  if (existsSync(paths.store)) return
  const [{ initialise }, { storeProblem }] = await Promise.all([import('../../../server/launch/init.js'), import('../../client/storeProblem.js')])
  await initialise(paths).catch((error: unknown) => {
    throw storeProblem(error, paths.home)
  })
  out.note(`Node created in ${paths.home}`)
}
