/** Tests that the commands in the documents exist, with their options and arguments. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allCommands } from '../../../src/cli/commands.js'
import { parseCommandLine } from '../../../src/cli/framework/parse.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const documents = ['README.md', 'SECURITY.md', ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name))].filter((name) => name.endsWith('.md'))

/** Returns the command lines of `coffer` in the blocks for a shell, without pipes, redirections and comments. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|console)\n(.*?)^```$/gms)].map(([, block = '']) => block.replaceAll('\\\n', ' '))
  return blocks.flatMap((block) => block.split('\n')).flatMap((line) => {
    const typed = line.replace(/^\$ /, '').replace(/\s#.*$/, '')
    const inner = [...typed.matchAll(/\$\(([^()]*)\)/g)].map(([, text = '']) => text)
    const commands = [typed.replaceAll(/\$\([^()]*\)/g, 'value'), ...inner].flatMap((text) => text.split(/ && | \| /))
    return commands.map((command) => command.replace(/^(sudo (-u \w+ )?)/, '').replace(/ > \S+$/, '').trim()).filter((command) => /^coffer /.test(command))
  })
}

/** Splits a command line as a shell does; placeholders such as `<id>` are words. */
const wordsOf = (line: string): string[] => [...line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, single, double, plain]) => single ?? double ?? plain ?? '')

describe('commands in the documents', async () => {
  const commands = await allCommands()
  const lines = documents.flatMap((name) => commandsIn(readFileSync(join(root, name), 'utf8')).map((line) => [name, line] as const))

  it('are found', () => expect(lines.length).toBeGreaterThan(150))

  it.each(lines)('of %s exist: %s', (_, line) => {
    const parsed = parseCommandLine(wordsOf(line).slice(1), commands)
    // Values are read as when the command runs.
    if (parsed.kind === 'run') parsed.command.read(parsed.typed)
  })
})
