/** Keys of secrets and what proves the right to them, as they come in: never as the value of an option. */
import { createHmac } from 'node:crypto'
import type { Context } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { flag, text } from '../../framework/option.js'

/** Options of commands that take a proof. */
export const proofOptions = {
  passphrase: flag('Ask for a passphrase, which whoever redeems the secret must know as well'),
  passphraseFile: text('Read the passphrase from a file', { placeholder: 'file', completes: 'file' }),
  hmac: flag('Prove the passphrase by an HMAC: the node never sees it'),
}

interface Asked {
  passphrase: boolean
  passphraseFile: string | undefined
  hmac: boolean
}

/** The passphrase, if one is wanted. `isNew` asks for it twice. */
export async function passphraseOf({ terminal }: Context, options: Asked, isNew: boolean): Promise<string | undefined> {
  const { passphrase, passphraseFile: file, hmac } = options
  if (!passphrase && file === undefined) {
    if (hmac) throw usageError('--hmac is about a passphrase', 'Ask for one: --passphrase, or read it: --passphrase-file <file>')
    return undefined
  }
  return readSecret(terminal, { prompt: 'Passphrase', missing: '--passphrase-file <file>', file, twice: isNew })
}

/** The kind of the proof, and what it is: the passphrase itself, or its HMAC over the random half of the key. */
export function proofOf(passphrase: string, isHmac: boolean, half: string): { type: string; proof: string } {
  if (!isHmac) return { type: 'secret', proof: passphrase }
  return { type: 'hmac-sha256', proof: createHmac('sha256', passphrase).update(half).digest('hex') }
}

/** `--key-file`, for commands about a secret that is there. */
export const keyFile = text('Read the key from a file', { placeholder: 'file', completes: 'file' })

/** The key: of a file, of stdin, or asked for. */
export function keyOf({ terminal }: Context, file: string | undefined): Promise<string> {
  return readSecret(terminal, { prompt: 'Key', missing: '--key-file <file>', file, stdin: file === undefined && !terminal.mayAsk })
}
