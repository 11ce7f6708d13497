/** Reads and decrypts a join bundle. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { Secret } from '../../../../store/model/secret.js'
import type { Bundle } from '../../../../server/platform/joining/bundle.js'
import type { BundleFault } from '../../../../server/platform/joining/bundleError.js'
import type { Context } from '../../../command.js'
import { CommandError, type ExitCode } from '../../../framework/exit.js'
import { readSecret } from '../../../terminal/input/secret.js'
import { readInput, sizeOf, STDIN } from '../../../terminal/input/text.js'

const ANOTHER = 'Nothing was sent or written. Create another bundle on the core of the platform: coffer cores add'
const hints: Partial<Record<BundleFault, string>> = {
  'wrong-passphrase': 'Nothing was sent or written. coffer cores add printed the passphrase with the bundle.',
  'too-new': 'Nothing was sent or written. Update coffer: coffer update',
}
const exits: Partial<Record<BundleFault, ExitCode>> = { damaged: 13, 'wrong-passphrase': 12 }

/**
 * Reads a bundle from a file or stdin, and its passphrase from a file or a prompt.
 * @throws CommandError 5 for no file, 12 for a wrong passphrase, 13 for a damaged bundle
 */
export async function openBundle({ terminal }: Pick<Context, 'terminal'>, file: string, passphraseFile: string | undefined): Promise<Bundle> {
  const [{ decryptBundle }, { BundleError }, { coreOfEnvelope, MAX_BUNDLE_LENGTH }] = await Promise.all([
    import('../../../../server/platform/joining/bundle.js'),
    import('../../../../server/platform/joining/bundleError.js'),
    import('../../../../server/platform/joining/envelope.js'),
  ])
  try {
    const size = file === STDIN ? undefined : await sizeOf(file)
    if (size !== undefined && size > MAX_BUNDLE_LENGTH) throw new BundleError('too-large')
    const text = await readInput(terminal, file, 'the join bundle')
    // A file that is no bundle is reported before the prompt.
    const core = coreOfEnvelope(text)
    const passphrase = new Secret(await readSecret(terminal, { prompt: `Passphrase of the bundle for ${core}`, file: passphraseFile, missing: '--passphrase-file' }))
    return await decryptBundle(text, passphrase)
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    throw new CommandError(errorMessage(error), { exit: exits[error.fault] ?? 1, cause: error, hint: hints[error.fault] ?? ANOTHER })
  }
}
