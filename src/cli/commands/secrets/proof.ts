/** Input of keys and passphrases of secrets: never as the value of an option. */
import { createHmac } from 'node:crypto'
import type { Context } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { flag, inputFile } from '../../framework/option.js'

/** Options of commands that take a passphrase. */
export const proofOptions = {
  passphrase: flag('Prompt for a passphrase that is also needed to redeem the secret'),
  passphraseFile: inputFile('Read the passphrase from a file'),
  hmac: flag('Prove the passphrase with an HMAC, so that the node never sees it'),
}

interface ProofOptions {
  passphrase: boolean
  passphraseFile: string | undefined
  hmac: boolean
}

/** Reads the passphrase, if requested. `isNew` prompts for it twice. */
export async function passphraseOf({ terminal }: Context, options: ProofOptions, isNew: boolean): Promise<string | undefined> {
  const { passphrase, passphraseFile: file, hmac } = options
  if (!passphrase && file === undefined) {
    if (hmac) throw usageError('--hmac requires a passphrase', 'Prompt for it: --passphrase, or read it: --passphrase-file <file>')
    return undefined
  }
  return readSecret(terminal, { prompt: 'Passphrase', missing: '--passphrase-file <file>', file, twice: isNew })
}

/** Returns the type and value of the proof: the passphrase itself, or its HMAC over the random half of the key. */
export function proofOf(passphrase: string, isHmac: boolean, half: string): { type: string; proof: string } {
  if (!isHmac) return { type: 'secret', proof: passphrase }
  return { type: 'hmac-sha256', proof: createHmac('sha256', passphrase).update(half).digest('hex') }
}

/** Option `--key-file` of commands about an existing secret. */
export const keyFile = inputFile('Read the key from a file')

/** Reads the key from a file, from stdin, or from a prompt. */
export function keyOf({ terminal }: Context, file: string | undefined): Promise<string> {
  return readSecret(terminal, { prompt: 'Key', missing: '--key-file <file>', file, stdin: file === undefined && !terminal.mayAsk })
}
