/** Finds the installed systemd units of coffer. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../../framework/paths.js'
import type { Which } from './plan.js'
import { unitFile } from './systemd.js'
import { homeOfUnit, writesOfUnit, type Scope } from './unit.js'

interface InstalledUnit extends Which {
  text: string
}

/** Returns the units that run the node of a home. */
export function unitsOf(home: string, env: Environment): InstalledUnit[] {
  return (['system', 'user'] as const).flatMap((scope) =>
    namesIn(scope, env).flatMap((unit) => {
      const text = textOf(join(folderOf(scope, env), unit))
      return homeOfUnit(text) === home ? [{ scope, unit, text }] : []
    }),
  )
}

/** Checks whether a unit lets the node write to a folder. */
export const isWritable = (text: string, folder: string): boolean =>
  writesOfUnit(text).some((path) => folder === path || folder.startsWith(`${path}/`))

const folderOf = (scope: Scope, env: Environment): string => dirname(unitFile(scope, 'x', env))

function namesIn(scope: Scope, env: Environment): string[] {
  try {
    return readdirSync(folderOf(scope, env)).filter((name) => name.endsWith('.service'))
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file is a dangling link, or cannot be read.
    return ''
  }
}
