/** The key files of a command, and the selection of the key for an event. */
import { existsSync } from 'node:fs'
import type { Context } from '../../../command.js'
import { CommandError, usageError } from '../../../framework/exit.js'
import { readSecret } from '../../../terminal/input/secret.js'
import { textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import { flag, list } from '../../../framework/option.js'
import { readInputBytes, STDIN } from '../../../terminal/input/text.js'
import type { Terminal } from '../../../terminal/terminal.js'
import { decryptEvent, keyRefOf, methodOf } from './event.js'
import type { Decrypted, StoredKey, Problem } from './event.js'
import { methods } from './methods.js'

/** Options of commands that decrypt. */
export const decryptOptions = {
  decrypt: flag('Decrypt locally, with a key that is never sent to the node'),
  keyFile: list('Decryption key: a file, or - for stdin, or a key name and one of these', {
    placeholder: '[keyRef=]file',
    completes: 'file',
    stdin: 'dash',
  }),
}

interface NamedKey extends StoredKey {
  /** The `keyRef` it is for; any event without one. */
  keyRef?: string
}

/** Keys by name, and keys without a name. */
export interface Keyring {
  /**
   * Decrypts an event with the keys of its name, then with those without a name; the first that succeeds wins.
   * @throws CommandError with the reason: 2 without a suitable key, 12 for a wrong key, 13 for damage
   */
  decrypt(event: Record_): Promise<Decrypted>
}

/**
 * Reads the key files. Without files, a key is read from stdin or prompted for when an event first needs it.
 * @throws CommandError 2 for an unreadable file
 */
export async function keyringOf({ terminal }: Context, files: readonly string[]): Promise<Keyring> {
  const keys: NamedKey[] = []
  for (const word of files) keys.push(await keyOfFile(terminal, word))
  const readMissingKey = async (event: Record_): Promise<NamedKey> => {
    const keyRef = keyRefOf(event)
    const prompt = `Key${keyRef === undefined ? '' : ` ${JSON.stringify(keyRef)}`}`
    const text = await readSecret(terminal, { prompt, missing: '--key-file <file>', stdin: !terminal.mayAsk })
    return { bytes: Buffer.from(text), from: 'that was entered' }
  }
  return {
    async decrypt(event) {
      if (methodOf(event) === undefined) throw problemError(event, { is: 'unknown method' })
      const keyRef = keyRefOf(event)
      if (keys.length === 0) keys.push(await readMissingKey(event))
      const named = keys.filter((key) => key.keyRef !== undefined && key.keyRef === keyRef)
      let problem: Problem | undefined
      for (const key of [...named, ...keys.filter((each) => each.keyRef === undefined)]) {
        const tried = decryptEvent(event, key)
        if (!('problem' in tried)) return tried
        // Prefer the problem of the key with the event's key name.
        problem ??= tried.problem
      }
      throw problem === undefined ? withoutKey(event) : problemError(event, problem)
    },
  }
}

/** Reads a key file argument: `keys/2026.key` or `team=keys/team.key`; names may contain `=`. */
async function keyOfFile(terminal: Terminal, word: string): Promise<NamedKey> {
  const ofStdin = word === STDIN ? {} : word.endsWith(`=${STDIN}`) ? { keyRef: word.slice(0, -2) } : undefined
  if (ofStdin !== undefined) return { ...ofStdin, bytes: await readInputBytes(terminal, STDIN, 'the key', 2), from: 'from stdin' }
  if (existsSync(word)) return { bytes: await readInputBytes(terminal, word, 'the key', 2), from: `of ${word}` }
  for (let at = word.indexOf('='); at > 0; at = word.indexOf('=', at + 1)) {
    const path = word.slice(at + 1)
    if (existsSync(path)) return { keyRef: word.slice(0, at), bytes: await readInputBytes(terminal, path, 'the key', 2), from: `of ${path}` }
  }
  throw new CommandError(`The key file ${word} does not exist.`, { exit: 2 })
}

function withoutKey(event: Record_): CommandError {
  const keyRef = keyRefOf(event)
  const name = keyRef === undefined ? 'has no key name' : `needs the key ${JSON.stringify(keyRef)}`
  const hint = `Pass it with: --key-file ${keyRef === undefined ? '<file>' : `'${keyRef}=<file>'`}`
  return usageError(`The event ${textOf(event['id'])} ${name}, and no matching key was given`, hint)
}

function problemError(event: Record_, problem: Problem): CommandError {
  const what = `The event ${textOf(event['id'])}`
  const showEncrypted = `Show it encrypted: coffer events show ${textOf(event['id'])}`
  switch (problem.is) {
    case 'unknown method': {
      const known = methods.map((each) => `encrypted/${each}`).join(', ')
      return new CommandError(`${what} has the type ${textOf(event['type'])}. Supported types: ${known}.`, { hint: showEncrypted })
    }
    case 'malformed':
      return new CommandError(`${what} cannot be decrypted by any key: its payload is truncated or invalid.`, { exit: 13, hint: showEncrypted })
    case 'unusable key': {
      const name = `The key ${problem.key.from} ${problem.why}`
      return usageError(`${name}; ${textOf(event['type'])} cannot use it`, 'Pass another key: --key-file <file>')
    }
    case 'refused': {
      const key = problem.method === 'aes-text-base64' ? 'passphrase' : 'key'
      const why = `The ${key} ${problem.key.from} does not decrypt the event ${textOf(event['id'])}: it is the wrong key, or the event was modified.`
      const keyRef = keyRefOf(event)
      const hint = keyRef === undefined ? 'Try another: --key-file <file>' : `It needs the key ${JSON.stringify(keyRef)}: --key-file <file>`
      return new CommandError(why, { exit: 12, hint })
    }
    case 'no event inside':
      return new CommandError(`${what} was decrypted, but contains no type and content.`, { exit: 13, hint: showEncrypted })
  }
}
