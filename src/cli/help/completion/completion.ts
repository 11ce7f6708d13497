/** Completion scripts for shells, generated from the command values. */
import type { Command } from '../../command.js'
import { servedMethods } from '../api/entries.js'
import { describedOperatorMethods } from '../api/operatorEntries.js'
import { bashScript } from './bash.js'
import { fishScript } from './fish.js'
import { grammarOf } from './grammar.js'
import { zshScript } from './zsh.js'

const methodIds = (): string[] => [...new Set([...servedMethods, ...describedOperatorMethods].map(({ id }) => id))].sort()

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

type Shell = keyof typeof scripts

/** Returns the script of a shell, to be sourced or saved. */
export function completionScript(shell: Shell, all: readonly Command[]): string {
  return `${scripts[shell](grammarOf(all, methodIds())).join('\n')}\n`
}
