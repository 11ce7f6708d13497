/** Reads the passphrase of archives: from a file, from stdin, or from a prompt. */
import { Secret } from '../../../../store/model/secret.js'
import type { Context } from '../../../command.js'
import { flag, text } from '../../../framework/option.js'
import { readSecret } from '../../../terminal/input/secret.js'

export const passphraseOptions = {
  passphraseFile: text('Read the passphrase from a file, or - for stdin; COFFER_BACKUP_PASSPHRASE_FILE is the default', { placeholder: 'file', completes: 'file', stdin: 'dash' }),
  passphraseStdin: flag('Read the passphrase from stdin', { stdin: 'always' }),
}

export interface PassphraseOptions {
  passphraseFile: string | undefined
  passphraseStdin: boolean
}

/** Returns the path of the passphrase file from the options or the environment. */
function fileOf({ env }: Context, { passphraseFile, passphraseStdin }: PassphraseOptions): string | undefined {
  if (passphraseFile !== undefined || passphraseStdin) return passphraseFile
  const named = env['COFFER_BACKUP_PASSPHRASE_FILE']
  return named === '' ? undefined : named
}

/** Returns the passphrase from a file or from stdin; undefined without one. */
export async function optionalPassphrase(context: Context, options: PassphraseOptions): Promise<Secret<string> | undefined> {
  const file = fileOf(context, options)
  if (file === undefined && !options.passphraseStdin) return undefined
  return new Secret(await readSecret(context.terminal, { ...SOURCE, stdin: options.passphraseStdin, file }))
}

/** Returns the passphrase of an existing archive, from the options or a prompt. */
export async function neededPassphrase(context: Context, options: PassphraseOptions): Promise<Secret<string>> {
  const found = await optionalPassphrase(context, options)
  return found ?? new Secret(await readSecret(context.terminal, SOURCE))
}

/** Prompts for a new passphrase, twice. */
export async function newPassphrase({ terminal }: Context): Promise<Secret<string>> {
  return new Secret(await readSecret(terminal, { ...SOURCE, prompt: 'New passphrase', twice: true }))
}

const SOURCE = { prompt: 'Passphrase', missing: '--passphrase-file or --passphrase-stdin' }
