import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { allCommands } from '../../src/cli/commands.js'
import { completionScript } from '../../src/cli/completion.js'
import { coffer } from './support.js'

const all = await allCommands()
const hasBash = spawnSync('bash', ['-c', 'type complete compgen']).status === 0

/** What bash offers behind the words; the last one is being typed. */
function offered(...words: string[]): string[] {
  const ask = 'COMP_WORDS=(coffer "$@"); COMP_CWORD=$#; _coffer; printf "%s\\n" "${COMPREPLY[@]}"'
  const script = `${completionScript('bash', all)}\n${ask}`
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

if (hasBash) describe('bash offers', () => {
  it('all commands, but no hidden one', () => {
    expect(offered('')).toEqual([...new Set(all.filter((each) => each.hidden !== true).map((each) => each.path[0]))])
  })

  it.each([
    [['config', ''], ['list', 'get', 'set', 'unset', 'path']],
    [['config', 'un'], ['unset']],
    [['config', 'list', '--o'], ['--origin']],
    [['--home', 'config', 'comp'], ['completion']],
    [['config', '--json', 'g'], ['get']],
    [['config', 'get', 'http.p'], ['http.port']],
    [['config', 'get', '--verb'], ['--verbose']],
    [['completion', ''], ['bash', 'zsh', 'fish']],
    [['help', 'exit'], ['exit-codes']],
    [['--timeout', ''], []],
    [['service', 'install', '--user', '--pr'], ['--print']],
    [['--user', 'service', 'users', 'l'], ['list']],
    [['nothing', '--vers'], ['--version']],
  ])('after %j', (words, expected) => expect(offered(...words)).toEqual(expected))
})

it.each(['bash', 'zsh', 'fish'])('a script for %s names every command', async (shell) => {
  const { code, out } = await coffer(`completion ${shell}`)
  expect(code).toBe(0)
  for (const each of all.filter((one) => one.hidden !== true)) expect(out).toContain(each.path.join(' '))
})

it('knows no other shell', async () => {
  const { code, err } = await coffer('completion csh')
  expect(code).toBe(2)
  expect(err).toContain('one of bash, zsh, fish')
})
