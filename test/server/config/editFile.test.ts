import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/server/config/config.js'
import { editConfigFile, isInConfigFile } from '../../../src/server/config/editFile.js'
import { editToml, tomlLiteral } from '../../../src/server/config/tomlEdit.js'

const key = (name: string): string[] => name.split('.')

describe('editToml', () => {
  it.each([
    ['an empty text', '', 'http.port', 1, '[http]\nport = 1\n'],
    ['a value with a comment', '[http]\nport = 1 # here\n', 'http.port', 2, '[http]\nport = 2 # here\n'],
    ['a new value beside its sibling', '[http]\n  ip = "::" # c\n\n[dns]\n', 'http.port', 1, '[http]\n  ip = "::" # c\n  port = 1\n\n[dns]\n'],
    ['a new value in an empty table', '# top\n[http]\n# rest\n', 'http.port', 1, '# top\n[http]\nport = 1\n# rest\n'],
    ['a dotted sibling', 'http.ip = "::"\n', 'http.port', 1, 'http.ip = "::"\nhttp.port = 1\n'],
    ['a dotted key in the same table', 'integrity.isActive.events = true\n', 'integrity.algorithm', 'md5', 'integrity.isActive.events = true\nintegrity.algorithm = "md5"\n'],
    ['an inline table', 'http = { ip = "::" }\n', 'http.port', 1, 'http = { ip = "::", port = 1 }\n'],
    ['a value in an inline table', 'http = { port = 1, ip = "::" } # x\n', 'http.port', 2, 'http = { port = 2, ip = "::" } # x\n'],
    ['an empty inline table', 'http = {}\n', 'http.port', 1, 'http = { port = 1 }\n'],
    ['a text without a last line break', '[dns]\ndomain = "x"', 'http.port', 1, '[dns]\ndomain = "x"\n\n[http]\nport = 1\n'],
    ['Windows line ends', '[http]\r\nip = "::"\r\n', 'http.port', 1, '[http]\r\nip = "::"\r\nport = 1\r\n'],
    ['a root value before the first table', '# about\n\n# web\n[http]\nport = 1\n', 'invitationTokens', ['a'], '# about\n\ninvitationTokens = ["a"]\n# web\n[http]\nport = 1\n'],
    ['a list over several lines', 'a = [\n  1, # one\n  2\n] # end\nb = 1\n', 'a', [3], 'a = [3] # end\nb = 1\n'],
    ['long strings', 'a = """x"\n[not]\n""""" # c\nb = \'\'\'# no\'\'\'\n', 'b', 1, 'a = """x"\n[not]\n""""" # c\nb = 1\n'],
    ['a long string that ends in quotes', 'a = """x""""" # c\n', 'a', 1, 'a = 1 # c\n'],
    ['names that look like syntax', '"b=#" = 1\n["x]y"]\na = 1\n', 'x]y.b', 2, '"b=#" = 1\n["x]y"]\na = 1\nb = 2\n'],
    ['a value after such a name', '"b=#" = 1 # c\n', 'b=#', 2, '"b=#" = 2 # c\n'],
    ['removal', '[http]\nport = 1 # gone\n# stays\nip = "::"\n', 'http.port', undefined, '[http]\n# stays\nip = "::"\n'],
    ['removal from an inline table', 'http = { port = 1, ip = "::" }\n', 'http.port', undefined, 'http = { ip = "::" }\n'],
    ['removal of the last in an inline table', 'http = { ip = "::", port = 1 }\n', 'http.port', undefined, 'http = { ip = "::" }\n'],
    ['removal of a missing value', '# x\n[http]\n', 'http.port', undefined, '# x\n[http]\n'],
    ['removal of tables', '[[l]]\na = 1\n# next\n[[l]]\na = 2\n\n# kept\n[b]\nc = 1\n', 'l', undefined, '# next\n\n# kept\n[b]\nc = 1\n'],
    ['tables replaced by a list', '[[t.l]]\na = 1\n[[t.l]]\na = 2\n', 't.l', [{ a: 3, b: { c: 'd' } }], '[t]\nl = [{ a = 3, b = { c = "d" } }]\n'],
    ['quoted names', '["user-account"]\n"delete" = [] # c\n', 'user-account.delete', ['adminToken'], '["user-account"]\n"delete" = ["adminToken"] # c\n'],
  ])('%s', (_, before, name, value, after) => expect(editToml(before, key(name), value)).toBe(after))

  it('refuses a path through a plain value', () => {
    expect(() => editToml('http = 5\n', key('http.port'), 1)).toThrow('by hand')
  })

  it('refuses invalid TOML', () => expect(() => editToml('a = ', key('b'), 1)).toThrow())

  const names = fc.constantFrom('a', 'b', 'c-d', 'e=]f')
  const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.array(fc.dictionary(names, scalar), { maxLength: 2 }))
  const written = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))
  const line = fc.oneof(
    fc.tuple(names, value).map(([name, held]) => `${written(name)} = ${tomlLiteral(held)}`),
    fc.tuple(names, names, value).map(([a, b, held]) => `  ${written(a)} . ${written(b)} = ${tomlLiteral(held)} # [no]`),
    fc.tuple(names, names, value, value).map(([a, b, x, y]) => `${written(a)} = { x.${written(b)} = ${tomlLiteral(x)}, y = ${tomlLiteral(y)} }`),
    names.map((a) => `${written(a)} = [ 1, # ]\n  """ ] = "" """,\n]`),
    names.map((a) => `[${written(a)}]`),
    fc.tuple(names, names).map(([a, b]) => `[ ${written(a)}.${written(b)} ] # c = 1`),
    names.map((a) => `[[${written(a)}]]`),
    fc.constantFrom('', '# a = 1', '\t'),
  )
  const isToml = (text: string): boolean => {
    try {
      parse(text)
      return true
    } catch {
      return false
    }
  }
  const document = fc
    .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, eol, ended]) => lines.reduce((text, each) => (isToml(text + each + eol) ? text + each + eol : text), '') + (ended ? '' : '# end'))

  /** Returns the values of a parsed text by path, without empty tables, as the oracle. */
  const valuesByPath = (held: unknown, path = ''): Map<string, string> => {
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return new Map([[path, JSON.stringify(held)]])
    return new Map(Object.entries(held).flatMap(([name, each]) => [...valuesByPath(each, `${path}/${name}`)]))
  }
  const within = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`)

  it('changes the value of one path only, and no comment', () => {
    fc.assert(
      fc.property(document, fc.array(names, { minLength: 1, maxLength: 3 }), fc.option(value, { nil: undefined }), (text, path, held) => {
        const at = `/${path.join('/')}`
        const before = valuesByPath(parse(text))
        let edited: string
        try {
          edited = editToml(text, path, held)
        } catch {
          // Editing fails only if the path leads through a plain value or a list of tables.
          expect([...before.keys()].some((each) => each !== at && within(at, each))).toBe(true)
          return
        }
        const after = valuesByPath(parse(edited))
        const expected = new Map([...before].filter(([each]) => !within(each, at)))
        if (held !== undefined) for (const [each, json] of valuesByPath(parse(`v = ${tomlLiteral(held)}`)['v'], at)) expected.set(each, json)
        expect(after).toEqual(expected)
        const comments = (all: string): number => all.split(/\r?\n/).filter((each) => each.startsWith('# ')).length
        expect(comments(edited)).toBe(comments(text))
      }),
      { numRuns: 1000 },
    )
  })

  it('restores the text when an added value is removed', () => {
    fc.assert(
      fc.property(document, names, names, (text, a, b) => {
        fc.pre(![...valuesByPath(parse(text)).keys()].some((each) => each.startsWith(`/${a}`)))
        fc.pre(!new RegExp(`\\[\\s*${written(a)}`).test(text))
        const there = editToml(text, [a, b], 1)
        const lines = (all: string): string[] => all.split(/\r?\n/).filter((each) => each.trim() !== '' && each !== `[${written(a)}]`)
        expect(lines(editToml(there, [a, b], undefined))).toEqual(lines(text))
      }),
    )
  })
})

describe('editConfigFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-edit-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('creates, changes and empties a file that only its owner can read', () => {
    const file = join(folder, 'new', 'config.toml')
    expect(editConfigFile(file, 'http.port', '8080')).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('[http]\nport = 8080\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(editConfigFile(file, 'http.port', 8080)).toBe(false)
    expect(loadConfig({ file }).get('http.port')).toBe(8080)
    expect(isInConfigFile(file, 'http.port')).toBe(true)
    expect(editConfigFile(file, 'http.port', undefined)).toBe(true)
    expect(isInConfigFile(file, 'http.port')).toBe(false)
    expect(readdirSync(join(folder, 'new'))).toEqual(['config.toml'])
  })

  it('restricts the mode of a file that others could read, and follows links', () => {
    const file = join(folder, 'open.toml')
    const link = join(folder, 'link.toml')
    writeFileSync(file, '# mine\n', { mode: 0o644 })
    symlinkSync(file, link)
    editConfigFile(link, 'logs.level', 'debug')
    expect(readFileSync(file, 'utf8')).toBe('# mine\n\n[logs]\nlevel = "debug"\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('removes a setting that is set to null', () => {
    const file = join(folder, 'null.toml')
    writeFileSync(file, 'invitationTokens = []\n')
    editConfigFile(file, 'invitationTokens', 'null')
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('leaves the file unchanged if the value is invalid', () => {
    const file = join(folder, 'refused.toml')
    expect(() => editConfigFile(file, 'http.port', 'x')).toThrow('http.port must be a whole number')
    expect(() => editConfigFile(file, 'http.prot', 1)).toThrow('not a setting')
    writeFileSync(file, 'a = \n')
    expect(() => editConfigFile(file, 'http.port', 1)).toThrow(file)
    expect(readFileSync(file, 'utf8')).toBe('a = \n')
  })

  it('removes an unknown key', () => {
    const file = join(folder, 'unknown.toml')
    writeFileSync(file, '[http]\nprot = 1\nport = 2\n')
    expect(editConfigFile(file, 'http.prot', undefined)).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('[http]\nport = 2\n')
  })
})
