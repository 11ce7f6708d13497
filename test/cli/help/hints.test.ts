/** Messages name commands to go on with; each of them must be there. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { nouns } from '../../../src/cli/help/nouns.js'
import { topics } from '../../../src/cli/help/topics.js'

const src = fileURLToPath(new URL('../../../src', import.meta.url))
/** Commands of the design that a later release brings. */
const later = ['doctor', 'logs', 'open', 'restart', 'restore', 'wait']
const known = new Set([...Object.keys(nouns), ...Object.keys(commands).map((name) => name.split(' ')[0]), ...later])

/** What the sources call a command, by file; comments are left out. */
function named(): Array<[string, string]> {
  const files = readdirSync(src, { recursive: true }).map(String).filter((name) => /\.tsx?$/.test(name))
  return files.flatMap((file) => {
    const code = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    const written = [...code.matchAll(/coffer ([a-z]+)(?: ([a-z-]+))?/g)].map(([, noun = '', verb = '']) => [noun, verb])
    const made = [...code.matchAll(/commandFor\([^)]*?'([a-z]+)'(?:, '([a-z-]+)')?/g)].map(([, noun = '', verb = '']) => [noun, verb])
    return [...written, ...made]
      .filter(([noun = '']) => known.has(noun))
      .map(([noun = '', verb = '']): [string, string] => [file, `${noun} ${verb}`.trim()])
  })
}

const found = [...new Map(named().map(([file, words]) => [words, file]))]

it('finds what it looks for', () => expect(found.length).toBeGreaterThan(20))

it.each(found)('coffer %s, named in %s, is there', (line) => {
  const [noun = '', verb = ''] = line.split(' ')
  if (noun === 'help' && verb !== '') {
    expect([...topics.map((each) => each.name), ...Object.keys(commands).map((name) => name.split(' ')[0])]).toContain(verb)
    return
  }
  const isGroup = Object.keys(commands).some((name) => name.startsWith(`${noun} `))
  // Some commands have three words.
  if (isGroup && verb !== '') expect(Object.keys(commands).some((name) => `${name} `.startsWith(`${line} `))).toBe(true)
  else expect(isGroup || Object.keys(commands).includes(noun)).toBe(true)
})
