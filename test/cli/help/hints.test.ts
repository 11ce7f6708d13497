/** Tests that commands suggested in messages exist. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { nouns } from '../../../src/cli/help/nouns.js'
import { topics } from '../../../src/cli/help/topics.js'

const src = fileURLToPath(new URL('../../../src', import.meta.url))
/** Commands that are searched for even when the registry lacks them. */
const known = new Set([...Object.keys(nouns), ...Object.keys(commands).map((name) => name.split(' ')[0])])

/** Returns the commands in texts and calls of the sources, by file; skips comments. */
function commandsInSources(): Array<[string, string]> {
  const files = readdirSync(src, { recursive: true }).map(String).filter((name) => /\.tsx?$/.test(name))
  return files.flatMap((file) => {
    const code = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    const literals = [...code.matchAll(/coffer ([a-z]+)(?: ([a-z-]+))?/g)].map(([, noun = '', verb = '']) => [noun, verb])
    const composed = [...code.matchAll(/commandFor\([^)]*?'([a-z]+)'(?:, '([a-z-]+)')?/g)].map(([, noun = '', verb = '']) => [noun, verb])
    return [...literals, ...composed]
      .filter(([noun = '']) => known.has(noun))
      .map(([noun = '', verb = '']): [string, string] => [file, `${noun} ${verb}`.trim()])
  })
}

const found = [...new Map(commandsInSources().map(([file, words]) => [words, file]))]

it('the sources suggest more than 20 commands', () => expect(found.length).toBeGreaterThan(20))

it.each(found)('coffer %s, suggested in %s, exists', (line) => {
  const [noun = '', verb = ''] = line.split(' ')
  if (noun === 'help' && verb !== '') {
    expect([...topics.map((each) => each.name), ...Object.keys(commands).map((name) => name.split(' ')[0])]).toContain(verb)
    return
  }
  const isGroup = Object.keys(commands).some((name) => name.startsWith(`${noun} `))
  // Some commands have three words, of which two are compared.
  if (isGroup && verb !== '') expect(Object.keys(commands).some((name) => `${name} `.startsWith(`${line} `))).toBe(true)
  else expect(isGroup || Object.keys(commands).includes(noun)).toBe(true)
})
