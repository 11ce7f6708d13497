/** The keys that a command was given, and which of them opens an event. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Context } from '../command.js'
import { CommandError, usageError } from '../framework/exit.js'
import { readSecret } from '../terminal/input/secret.js'
import { textOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import { flag, list } from '../framework/option.js'
import { decryptEvent, keyRefOf, methodOf } from './event.js'
import type { Decrypted, StoredKey, Problem } from './event.js'
import { methods } from './methods.js'

/** Options of commands that decrypt. */
export const decryptOptions = {
  decrypt: flag('Decrypt it here, by a key that the node never sees'),
  keyFile: list('Key of what is encrypted: a file, or the name of a key and its file', {
    placeholder: '[keyRef=]file',
    completes: 'file',
  }),
}

interface NamedKey extends StoredKey {
  /** The `keyRef` it is for; any without one. */
  keyRef?: string
}

/** Keys by name, and those for anything. */
export interface Keyring {
  /**
   * Decrypts an event by the keys of its name, then by those without a name; the first that opens it counts.
   * @throws CommandError naming what failed: 2 without a fitting key, 12 for another key, 13 for damage.
   */
  decrypt(event: Record_): Promise<Decrypted>
}

/**
 * Reads the key files. Without any, a key is read from stdin, or asked for, when an event first needs it.
 * @throws CommandError 2 for a file that cannot be read.
 */
export async function keyringOf({ terminal }: Context, files: readonly string[]): Promise<Keyring> {
  const keys: NamedKey[] = []
  for (const word of files) keys.push(await keyOfFile(word))
  const options = async (event: Record_): Promise<NamedKey> => {
    const keyRef = keyRefOf(event)
    const prompt = `Key${keyRef === undefined ? '' : ` ${JSON.stringify(keyRef)}`}`
    const text = await readSecret(terminal, { prompt, missing: '--key-file <file>', stdin: !terminal.mayAsk })
    return { bytes: Buffer.from(text), from: 'that was given' }
  }
  return {
    async decrypt(event) {
      if (methodOf(event) === undefined) throw described(event, { is: 'unknown method' })
      const keyRef = keyRefOf(event)
      if (keys.length === 0) keys.push(await options(event))
      const named = keys.filter((key) => key.keyRef !== undefined && key.keyRef === keyRef)
      let problem: Problem | undefined
      for (const key of [...named, ...keys.filter((each) => each.keyRef === undefined)]) {
        const tried = decryptEvent(event, key)
        if (!('problem' in tried)) return tried
        // What a key of its name met says more than what the others did.
        problem ??= tried.problem
      }
      throw problem === undefined ? withoutKey(event) : described(event, problem)
    },
  }
}

/** `keys/2026.key`, or `team=keys/team.key`; a name may hold the sign itself. */
async function keyOfFile(word: string): Promise<NamedKey> {
  if (existsSync(word)) return { bytes: await bytesOf(word), from: `of ${word}` }
  for (let at = word.indexOf('='); at > 0; at = word.indexOf('=', at + 1)) {
    const path = word.slice(at + 1)
    if (existsSync(path)) return { keyRef: word.slice(0, at), bytes: await bytesOf(path), from: `of ${path}` }
  }
  throw new CommandError(`The key file ${word} does not exist.`, { exit: 2 })
}

function bytesOf(path: string): Promise<Buffer> {
  return readFile(path).catch((cause: unknown) => {
    throw new CommandError(`The key file ${path} cannot be read.`, { exit: 2, cause })
  })
}

function withoutKey(event: Record_): CommandError {
  const keyRef = keyRefOf(event)
  const name = keyRef === undefined ? 'names no key' : `wants the key ${JSON.stringify(keyRef)}`
  const hint = `Give it: --key-file ${keyRef === undefined ? '<file>' : `'${keyRef}=<file>'`}`
  return usageError(`The event ${textOf(event['id'])} ${name}, and none was given for it`, hint)
}

function described(event: Record_, problem: Problem): CommandError {
  const what = `The event ${textOf(event['id'])}`
  const asItIs = `See it as it is kept: coffer events show ${textOf(event['id'])}`
  switch (problem.is) {
    case 'unknown method': {
      const known = methods.map((each) => `encrypted/${each}`).join(', ')
      return new CommandError(`${what} is of the type ${textOf(event['type'])}. Known are ${known}.`, { hint: asItIs })
    }
    case 'malformed':
      return new CommandError(`${what} cannot be decrypted by any key: its payload is cut or is no payload.`, { exit: 13, hint: asItIs })
    case 'unfit key': {
      const name = `The key ${problem.key.from} ${problem.why}`
      return usageError(`${name}; ${textOf(event['type'])} takes no other`, 'Give another: --key-file <file>')
    }
    case 'refused': {
      const key = problem.method === 'aes-text-base64' ? 'passphrase' : 'key'
      const why = `The ${key} ${problem.key.from} does not open the event ${textOf(event['id'])}: it is another's, or the event was changed.`
      const keyRef = keyRefOf(event)
      const hint = keyRef === undefined ? 'Try another: --key-file <file>' : `It wants the key ${JSON.stringify(keyRef)}: --key-file <file>`
      return new CommandError(why, { exit: 12, hint })
    }
    case 'no event inside':
      return new CommandError(`${what} was decrypted, but holds no type and content.`, { exit: 13, hint: asItIs })
  }
}
