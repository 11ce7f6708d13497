/** Opens what a command reads: a file, or stdin for `-`. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { errorMessage } from '../../../store/model/errorMessage.js'
import { CommandError, type ExitCode } from '../../framework/exit.js'
import type { Terminal } from '../terminal.js'

/** The word that stands for stdin in place of a file. */
export const STDIN = '-'

/**
 * Opens a file, or stdin for `-`, and closes it after `use`, so that a writer that goes on does not keep the process running.
 * @param what the content, for the note on a terminal: `the events`
 */
export async function withInput<T>(terminal: Terminal, file: string, what: string, use: (input: Readable) => Promise<T>): Promise<T> {
  const input = file === STDIN ? terminal.openStdin(what) : createReadStream(file)
  try {
    return await use(input)
  } finally {
    input.destroy()
  }
}

/**
 * Reads a whole file, or stdin for `-`.
 * @param what the content, for the note on a terminal: `the keys`
 * @param exit exit code for a file that cannot be read
 * @throws CommandError with `exit`
 */
export async function readInputBytes(terminal: Terminal, file: string, what: string, exit: ExitCode = 5): Promise<Buffer> {
  const chunks: Buffer[] = []
  const input = file === STDIN ? terminal.openStdin(what) : createReadStream(file)
  try {
    for await (const chunk of input) chunks.push(Buffer.from(chunk))
  } catch (error) {
    throw unreadable(file, error, exit)
  }
  return Buffer.concat(chunks)
}

/** Reads a whole file as text, as `readInputBytes` does. */
export const readInput = async (terminal: Terminal, file: string, what: string, exit: ExitCode = 5): Promise<string> =>
  (await readInputBytes(terminal, file, what, exit)).toString('utf8')

/** Returns a typed word, or all of stdin for `-`. */
export const wordOrInput = async (terminal: Terminal, word: string, what: string): Promise<string> => (word === STDIN ? terminal.readAll(what) : word)

/**
 * Returns the size of a file in bytes; undefined for special files.
 * @throws CommandError 5 for no file, 2 for a folder
 */
export async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((cause: unknown) => {
    throw unreadable(file, cause, 5)
  })
  if (found.isDirectory()) throw new CommandError(`${file} is a folder.`, { exit: 2 })
  return found.isFile() ? found.size : undefined
}

function unreadable(file: string, cause: unknown, exit: ExitCode): CommandError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const why = code === 'ENOENT' ? 'it does not exist' : code === 'EISDIR' ? 'it is a folder' : code === 'EACCES' ? 'permission denied' : errorMessage(cause)
  return new CommandError(`${file === STDIN ? 'stdin' : file} cannot be read: ${why}`, { exit, cause })
}
