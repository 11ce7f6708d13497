import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { runningNode } from '../../client/connect.js'
import { keyStorageBy, keyStorageOptions } from '../../client/keyStorageOptions.js'
import { keyPassphrase } from '../../client/keyPassphrase.js'
import { assertHomeOpen } from '../../client/homeChecks.js'
import { text } from '../../framework/option.js'

/** `coffer store rekey`. */
export const rekey = command({
  path: ['store', 'rekey'],
  summary: 'Keep the node key another way, or behind another passphrase',
  description:
    'The node key opens what is sealed in the store: tokens, second factors, identities. This moves it between a file of the home, the keychain of the system, and a file that a passphrase opens. The key itself stays the same, and so do backups.\n\n' +
    'The node must not run. The new place is written and read back before the old one goes, so that an interruption leaves one or the other.',
  options: {
    ...keyStorageOptions(),
    passphraseFile: text('Read the passphrase that the key is behind now from a file; COFFER_PASSPHRASE_FILE names one too', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer store rekey --keep-key passphrase', says: 'asks for the new passphrase, twice' },
    { type: 'coffer store rekey --keep-key file --passphrase-file old.txt', says: 'back to a file, without a question' },
  ],
  json: '{"from","to"}: "keychain", "passphrase" or "file"',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { paths, out, flags, commandFor } = context
    if (options.keepKey === undefined) throw usageError('--keep-key is missing', 'coffer store rekey --keep-key keychain|passphrase|file')
    assertHomeOpen(paths.home)
    const client = await runningNode(paths, flags.timeoutMs)
    if (client !== undefined) {
      await client.close()
      throw new CommandError('The node runs, and has its key open.', { exit: 11, hint: `Stop it first: ${commandFor('stop')}` })
    }
    const [{ rekeyHome }, { storeProblem }] = await Promise.all([import('../../../server/maintenance/rekeyHome.js'), import('../../client/storeProblem.js')])
    const moved = await rekeyHome(paths, keyPassphrase(context, options.passphraseFile), () => keyStorageBy(context, options)).catch((error: unknown) => {
      throw storeProblem(error, paths.home)
    })
    await out.result(moved, {
      print: () => out.done(moved.from === moved.to ? `The node key is kept by ${moved.to}, anew` : `The node key is kept by ${moved.to}, and no longer by ${moved.from}`),
    })
  },
})
