/** Files of this machine as parameters of a call: the node reads them itself, by their paths. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { lookup } from 'mime-types'
import { CommandError, usageError } from '../exit.js'

export interface AttachedPath {
  path: string
  fileName: string
  type: string
}

/**
 * The files named by `--attach`, with media types by their names.
 * @throws CommandError 5 for a file that is not there, 2 for what is no file.
 */
export function attachedPaths(words: readonly string[]): AttachedPath[] {
  return words.map((word) => {
    const path = resolve(word)
    let isFile: boolean
    try {
      isFile = statSync(path).isFile()
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new CommandError(`${word} cannot be read: ${why}`, { exit: 5, cause })
    }
    if (!isFile) throw usageError(`--attach takes a file, and ${word} is none`)
    const fileName = basename(path)
    const type = lookup(fileName)
    return { path, fileName, type: type === false ? 'application/octet-stream' : type }
  })
}
