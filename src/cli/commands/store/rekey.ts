import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { runningNode } from '../../client/runningNode.js'
import { keyStorageBy, keyStorageOptions } from '../../client/keyStorageOptions.js'
import { keyPassphrase } from '../../client/keyPassphrase.js'
import { assertHomeAccessible } from '../../client/homeChecks.js'
import { text } from '../../framework/option.js'

/** `coffer store rekey`. */
export const rekey = command({
  path: ['store', 'rekey'],
  summary: 'Change the storage or the passphrase of the node key',
  description:
    'The node key decrypts the secrets in the store: tokens, second factors, identities. This command moves it between a file in the home, the keychain of the system, and a passphrase-protected file. The key itself does not change, so backups stay valid.\n\n' +
    'The node must be stopped. The new copy is written and read back before the old one is removed, so an interruption leaves at least one of them.',
  options: {
    ...keyStorageOptions(),
    passphraseFile: text('File with the current passphrase of the key, or - for stdin; also COFFER_PASSPHRASE_FILE', { placeholder: 'file', completes: 'file', stdin: 'dash' }),
  },
  examples: [
    { type: 'coffer store rekey --keep-key passphrase', description: 'prompt for the new passphrase, twice' },
    { type: 'coffer store rekey --keep-key file --passphrase-file old.txt', description: 'back to a file, without prompting' },
  ],
  json: '{"from","to"}: "keychain", "passphrase" or "file"',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { paths, out, flags, commandFor } = context
    if (options.keepKey === undefined) throw usageError('--keep-key is required', 'coffer store rekey --keep-key keychain|passphrase|file')
    assertHomeAccessible(paths.home)
    const client = await runningNode(paths, flags.timeoutMs)
    if (client !== undefined) {
      await client.close()
      throw new CommandError('The node is running and uses its key.', { exit: 11, hint: `Stop it first: ${commandFor('stop')}` })
    }
    const [{ rekeyHome }, { storeProblem }] = await Promise.all([import('../../../server/maintenance/rekeyHome.js'), import('../../client/storeProblem.js')])
    const moved = await rekeyHome(paths, keyPassphrase(context, options.passphraseFile), () => keyStorageBy(context, options)).catch((error: unknown) => {
      throw storeProblem(error, paths.home)
    })
    await out.result(moved, {
      print: () => out.done(moved.from === moved.to ? `The node key was stored again: ${moved.to}` : `The node key was moved from ${moved.from} to ${moved.to}`),
    })
  },
})
