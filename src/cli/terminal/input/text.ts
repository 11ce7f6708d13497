/** Reads text from a file or stdin. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { errorMessage } from '../../../store/model/errorMessage.js'
import { CommandError } from '../../framework/exit.js'

/** Opens a file as a byte stream; `-` is stdin. */
const openInput = (file: string): Readable => (file === '-' ? process.stdin : createReadStream(file))

/** Opens a file, or `stdin` for `-`, and closes it after `use`, so that a writer that goes on does not keep the process running. */
export async function withInput<T>(file: string, stdin: Readable, use: (input: Readable) => Promise<T>): Promise<T> {
  const input = file === '-' ? stdin : createReadStream(file)
  try {
    return await use(input)
  } finally {
    input.destroy()
  }
}

/** Reads a whole file as text; `-` is stdin. */
export async function readInput(file: string): Promise<string> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of openInput(file)) chunks.push(Buffer.from(chunk))
  } catch (error) {
    const why = errorMessage(error)
    throw new CommandError(`${file} cannot be read: ${why}`, { exit: 5, cause: error })
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Returns the size of a file in bytes; undefined for special files.
 * @throws CommandError 5 for no file, 2 for a folder
 */
export async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((cause: unknown) => {
    const why = errorMessage(cause)
    throw new CommandError(`${file} cannot be read: ${why}`, { exit: 5, cause })
  })
  if (found.isDirectory()) throw new CommandError(`${file} is a folder.`, { exit: 2 })
  return found.isFile() ? found.size : undefined
}
