/** Tests of starts on machines that lack something: an early Node.js, installed packages, or a build. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Linter } from 'eslint'
import { describe, expect, it } from 'vitest'
import { isUpToDate } from '../../scripts/upToDate.js'
import { binary, folder, type CleanUp } from './support/coffer.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { engines, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string }; scripts: Record<string, string> }
const needed = engines.node.replace('>=', '')

/** Runs a program under Node.js that reports another version. */
function runAs(version: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const preload = join(folder(), 'version.cjs')
  writeFileSync(preload, `Object.defineProperty(process, 'version', { value: ${JSON.stringify(version)} })`)
  return spawnSync(process.execPath, ['--require', preload, ...words], { encoding: 'utf8' })
}

/** Copies files of the project to an empty folder. */
function copyOf(...names: string[]): string {
  const at = folder()
  for (const name of names) {
    mkdirSync(join(at, dirname(name)), { recursive: true })
    cpSync(join(root, name), join(at, name), { recursive: true })
  }
  return at
}

describe('a Node.js that is too old', () => {
  const install = 'Install a newer one from https://nodejs.org/en/download, or with a version manager: nvm install --lts\n'

  it.each(['v0.10.48', 'v8.17.0', 'v18.20.8', 'v20.18.3'])('%s is named in one line by coffer', (version) =>
    expect(runAs(version, binary, 'start')).toMatchObject({ status: 1, stdout: '', stderr: `coffer needs Node.js ${needed} or newer; this is Node.js ${version}. ${install}` }))

  it('is named in one line by npm start', () =>
    expect(runAs('v16.20.2', join(root, 'scripts/checkSetup.cjs'))).toMatchObject({ status: 1, stdout: '', stderr: `✖ coffer needs Node.js ${needed} or newer; this is Node.js v16.20.2. ${install}` }))

  it.each([`v${needed}.0`, 'v20.20.2', 'v22.0.0', 'v100.1.0'])('is not %s', (version) => expect(runAs(version, binary, '--version')).toMatchObject({ status: 0, stderr: '' }))

  // Later syntax would be a syntax error there, without a line about the version.
  it.each(['bin/coffer.js', 'bin/nodeVersion.js', 'scripts/checkSetup.cjs'])('parses %s', (file) => {
    const check = (code: string): unknown[] => new Linter().verify(code, { languageOptions: { ecmaVersion: 5, sourceType: 'script' } })
    expect(check(readFileSync(join(root, file), 'utf8'))).toEqual([])
    expect(check('const a = 1')).toHaveLength(1)
  })
})

describe('a Node.js that keeps compiled programs', () => {
  it('is asked to keep that of coffer before it is loaded', () => {
    const at = folder()
    const preload = join(at, 'cache.cjs')
    writeFileSync(preload, "require('node:module').enableCompileCache = (directory) => { console.error(directory); return { directory } }")
    const run = spawnSync(process.execPath, ['--require', preload, binary, '--version'], { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: at } })
    expect(run).toMatchObject({ status: 0, stderr: `${join(at, 'coffer')}\n` })
  })
})

describe('sources that cannot start', () => {
  it('name the missing packages, and the command that installs them', () => {
    const at = copyOf('package.json', 'bin', 'scripts/checkSetup.cjs')
    const check = (): unknown => spawnSync(process.execPath, [join(at, 'scripts/checkSetup.cjs')], { encoding: 'utf8' })
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^✖ Packages that coffer is built with are not installed: \S+ and \d+ more\. Install them: npm ci\n$/) as string })
    writeFileSync(join(at, 'package.json'), JSON.stringify({ engines, dependencies: { level: '1.0.0' }, devDependencies: {} }))
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('not installed: level. Install them: npm ci') as string })
    mkdirSync(join(at, 'node_modules/level'), { recursive: true })
    writeFileSync(join(at, 'node_modules/level/package.json'), '{}')
    expect(check()).toMatchObject({ status: 0, stderr: '' })
  })

  it('name the command that builds them', () => {
    const at = copyOf('package.json', 'bin')
    expect(spawnSync(process.execPath, [join(at, 'bin/coffer.js'), 'start'], { encoding: 'utf8' })).toMatchObject({ status: 1, stdout: '', stderr: 'coffer: this copy of the sources is not built. Build it: npm ci && npm run build\n' })
  })

  it.each(['build', 'start', 'prepack'])('are checked by npm run %s first', (script) => expect(scripts[script]).toMatch(/^node scripts\/checkSetup\.cjs && node build\.js/))
})

describe('a build', () => {
  const at = (cleanUp?: CleanUp): string => {
    const place = folder(cleanUp)
    mkdirSync(join(place, 'src/cli'), { recursive: true })
    for (const name of ['src/cli/main.ts', 'package-lock.json', 'built']) writeFileSync(join(place, name), '')
    for (const name of ['src/cli/main.ts', 'src/cli', 'src', 'package-lock.json']) utimesSync(join(place, name), 1000, 1000)
    return place
  }
  const check = (place: string): boolean => isUpToDate(join(place, 'built'), ['src', 'package-lock.json'].map((name) => join(place, name)))

  it('is kept while no source changes', () => expect(check(at())).toBe(true))

  it.each([
    ['a changed file', (place: string) => utimesSync(join(place, 'src/cli/main.ts'), 9e9, 9e9)],
    ['a removed or added file', (place: string) => utimesSync(join(place, 'src/cli'), 9e9, 9e9)],
    ['other packages', (place: string) => utimesSync(join(place, 'package-lock.json'), 9e9, 9e9)],
    ['no complete build', (place: string) => utimesSync(join(place, 'built'), 500, 500)],
  ])('is replaced after %s', (_, change) => {
    const place = at()
    change(place)
    expect(check(place)).toBe(false)
  })

  it('is made where there is none', () => expect(isUpToDate(join(folder(), 'built'), [])).toBe(false))

  it('prints each step, and a failed one', () => {
    const run = (work: string): unknown =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', `import { step } from ${JSON.stringify(join(root, 'scripts/step.js'))}; await step('Bundle', ${work})`], { encoding: 'utf8' })
    expect(run("async () => '3 modules'")).toMatchObject({ status: 0, stdout: '', stderr: expect.stringMatching(/^✔ Bundle: 3 modules, \d+\.\d s\n$/) as string })
    expect(run("() => { throw new Error('no space') }")).toMatchObject({ status: 1, stderr: expect.stringMatching(/^✖ Bundle: failed\n[\s\S]*no space/) as string })
  })
})
