/** Tests of the files for containers against what they name: sources, the version of Node.js, commands, the home. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { coffer, folder, start } from './support/coffer.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (name: string): string => readFileSync(join(root, name), 'utf8')
const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } }

/** Instructions of the Dockerfile with their arguments, continued lines joined. */
const instructions = textOf('Dockerfile').replaceAll('\\\n', ' ').split('\n').flatMap((line) => {
  const match = /^([A-Z]+) +(.*)$/.exec(line)
  return match === null ? [] : [{ name: match[1] ?? '', text: match[2] ?? '' }]
})
const all = (name: string): string[] => instructions.filter((each) => each.name === name).map(({ text }) => text)
const last = (name: string): string => all(name).at(-1) ?? ''
/** Parses the words of an instruction in its JSON form. */
const wordsOf = (text: string): string[] => JSON.parse(/\[.*\]/.exec(text)?.[0] ?? 'null') as string[]
const ignored = textOf('.dockerignore').split('\n').filter((line) => line !== '')
const compose = textOf('compose.yaml')

describe('the Dockerfile', () => {
  it('builds in one stage and runs in another, with the same Node.js', () => {
    expect(all('FROM')).toEqual(['node:${NODE_VERSION}-slim AS build', 'node:${NODE_VERSION}-slim'])
    expect(all('COPY').filter((text) => text.startsWith('--from=build'))).toHaveLength(1)
  })

  it('takes a Node.js that coffer runs on', () => {
    const [major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(engines.node)?.slice(1).map(Number) ?? []
    const given = /^NODE_VERSION=(\d+)(?:\.(\d+))?/.exec(last('ARG'))
    // An image of a major version has its newest minor one.
    const [givenMajor, givenMinor] = [Number(given?.[1]), Number(given?.[2] ?? Infinity)]
    expect(givenMajor > major || (givenMajor === major && givenMinor >= minor)).toBe(true)
  })

  it('copies files that exist and are not ignored', () => {
    const copied = all('COPY').filter((text) => !text.startsWith('--from')).flatMap((text) => text.split(/ +/).slice(0, -1))
    expect(copied).toContain('package-lock.json')
    for (const name of copied) expect([name, existsSync(join(root, name)), ignored.includes(name)]).toEqual([name, true, false])
  })

  it('leaves in the context what a build needs, and nothing that it makes', () => {
    for (const name of ['src', 'scripts', 'bin', 'man', 'docs', 'examples', 'build.js', 'bundle.js', 'CHANGELOG.md']) expect(ignored).not.toContain(name)
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'dist', '.git']))
  })

  it('runs as an unprivileged user, who owns the volume of the home', () => {
    const home = /COFFER_HOME=(\S+)/.exec(last('ENV'))?.[1] ?? ''
    expect([last('USER'), last('VOLUME')]).toEqual(['node', home])
    expect(all('RUN').some((text) => text.includes('--owner=node') && text.endsWith(` ${home}`))).toBe(true)
    const names = instructions.map(({ name }) => name)
    // Content that a later instruction adds to a volume is lost.
    expect(names.lastIndexOf('VOLUME')).toBeGreaterThan(names.lastIndexOf('RUN'))
    expect(compose).toContain(`- data:${home}\n`)
    expect(compose).toMatch(/^volumes:\n {2}data:$/m)
  })

  it('runs coffer itself, so that signals reach it, within the time that it may take', () => {
    expect([wordsOf(last('ENTRYPOINT')), last('STOPSIGNAL')]).toEqual([['coffer'], 'SIGTERM'])
    expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(30)
  })

  it('publishes the port of the node to this machine only', () => {
    expect(compose).toContain(`- 127.0.0.1:3000:${last('EXPOSE')}\n`)
    expect(wordsOf(last('CMD'))).toEqual(['start', '--host', '0.0.0.0'])
  })
})

it('the command and the health check of the image work on a home, and a signal stops the node', async () => {
  const home = join(folder(), 'data')
  const [program, ...check] = wordsOf(last('HEALTHCHECK'))
  expect(program).toBe('coffer')
  const [verb, ...options] = wordsOf(last('CMD'))
  expect(verb).toBe('start')
  const env = { COFFER_HOME: home, container: 'docker' }
  const health = check.map((word) => (word === '5s' ? '1s' : word))
  expect((await coffer(health, { env })).code).toBe(7)
  const node = await start(home, { env, options })
  expect(await coffer(check, { env })).toMatchObject({ code: 0 })
  expect((await node.stop('SIGTERM')).code).toBe(0)
  expect((await coffer(health, { env })).code).toBe(7)
})
