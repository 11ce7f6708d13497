import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allCommands } from '../../../src/cli/commands.js'
import { servedMethods } from '../../../src/cli/help/api/entries.js'
import { groupOf } from '../../../src/server/api/reference/groups.js'
import { manPages } from '../../../src/cli/help/man.js'
import { literal, prose } from '../../../src/cli/help/roff.js'
import { settingKeys } from '../../../src/server/config/settings/settings.js'
import { productVersion } from '../../../src/server/base/version.js'
import { failures } from '../../../src/store/model/failure.js'
import { coffer } from '../support/testTerminal.js'

const all = await allCommands()
const pages = manPages(all, productVersion())
const committed = new URL('../../../man/', import.meta.url)
const hasGroff = spawnSync('groff', ['--version']).status === 0
const hasMandoc = spawnSync('mandoc', ['-T', 'lint'], { input: '' }).error === undefined

describe('the manual pages', () => {
  it('equal the output of "npm run man"', () => {
    const found = readdirSync(committed).filter((name) => /^coffer.*\.[157]$/.test(name))
    const listed = (JSON.parse(readFileSync(new URL('../package.json', committed), 'utf8')) as { man: string[] }).man
    expect(listed).toEqual(found.sort().map((name) => `man/${name}`))
    expect(found.sort()).toEqual(pages.map((page) => page.file).sort())
    for (const page of pages) expect(readFileSync(new URL(page.file, committed), 'utf8'), page.file).toBe(page.roff)
  })

  it('are written by the hidden command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-man-'))
    const { code, out } = await coffer(`man --to ${folder} --json`)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ pages: pages.map((page) => join(folder, page.file)) })
    for (const page of pages) expect(readFileSync(join(folder, page.file), 'utf8')).toBe(page.roff)
    rmSync(folder, { recursive: true })
  })

  it('contain every command, setting, method and failure', () => {
    const roffOf = (file: string): string => pages.find((page) => page.file === file)?.roff ?? ''
    for (const each of all.filter((one) => one.hidden !== true)) {
      const file = each.path.length === 1 ? 'coffer.1' : `coffer-${each.path[0]}.1`
      expect(roffOf(file)).toContain(`.SS "${literal(`coffer ${each.path.join(' ')}`)}"`)
    }
    for (const key of settingKeys) expect(roffOf('coffer-config.5')).toContain(`.B "${literal(key)}"`)
    for (const { id } of servedMethods) {
      const group = groupOf(id)
      expect(roffOf(`coffer-api-${group?.name}.7`), id).toContain(`.SS "${literal(id)}"`)
      expect(roffOf('coffer-api.7')).toContain(literal(`coffer-api-${group?.name}(7)`))
    }
    for (const id of Object.keys(failures)) expect(roffOf('coffer-failures.7')).toContain(`.B "${literal(id)}"`)
  })

  if (hasGroff) it.each(pages.map((page) => [page.file, page.roff] as const))('%s causes no warning of groff', (_, roff) => {
    const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-z'], { input: roff, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  // Pages have no date, so that builds are reproducible.
  it.skipIf(!hasMandoc)('cause no warning of mandoc', () => {
    for (const { file, roff } of pages) {
      const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], { input: roff, encoding: 'utf8' })
      expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date')), file).toEqual([])
    }
  })

  it.each([
    ['a\\b', 'a\\eb', 'a\\eb'],
    ['.start', '\\&.start', '.start'],
    ["'start", "\\&'start", '\\(aqstart'],
    ['--flag', '--flag', '\\-\\-flag'],
    ['~^`', '\\(ti\\(ha\\(ga', '\\(ti\\(ha\\(ga'],
    ['é→😀', '\\[u00E9]\\[u2192]\\[u1F600]', '\\[u00E9]\\[u2192]\\[u1F600]'],
  ])('escape %s', (text, read, typed) => {
    expect(prose(text)).toBe(read)
    expect(literal(text)).toBe(typed)
  })
})
