/** Completion scripts for shells, generated from the command values. */
import type { Command } from '../../command.js'
import { bashScript } from './bash.js'
import { fishScript } from './fish.js'
import { grammarOf } from './grammar.js'
import { zshScript } from './zsh.js'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

type Shell = keyof typeof scripts

/** Returns the script of a shell, to be sourced or saved. */
export function completionScript(shell: Shell, all: readonly Command[]): string {
  return `${scripts[shell](grammarOf(all)).join('\n')}\n`
}
