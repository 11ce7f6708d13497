import { describe, expect, it } from 'vitest'
import {
  hasForbiddenCharacter,
  isReservedId,
  isReservedToken,
  slugify,
  slugifyStreamId,
  splitStorePrefix,
} from '../../../src/store/model/slug.js'

describe('slugify', () => {
  it.each([
    ['pas encodé de bleu!', 'pas-encode-de-bleu'],
    ['  A b.c~d_e  ', 'A-b.c~d_e'],
    ['hello/world', 'helloworld'],
    ['a:b', 'ab'],
    ['x*y', 'xy'],
    ['a--b', 'a-b'],
    ['a  b', 'a-b'],
    ['a \t-\n b', 'a-b'],
    ['-x-', 'x'],
    ['.a.', '.a.'],
    ['Ünïcode ß', 'Unicode-ss'],
    ['50%', '50'],
    ['a@b.c', 'ab.c'],
    ['(a)', 'a'],
    ['a+b', 'ab'],
    ['日本', '5pel5pys'],
    ['*', 'Kg'],
    ['---', 'LS0t'],
    ['size', 'size'],
    ['Straße ẞ Æther œuvre ĳ ﬁn', 'Strasse-SS-AEther-oeuvre-ij-fin'],
    ['Łódź Ørsted', 'Lodz-Orsted'],
    ['décomposé'.normalize('NFD'), 'decompose'],
    ['Чай', 'Chaj'],
    ['Чай'.normalize('NFD'), 'Chaj'],
    ['Θεός', 'Theos'],
    ['a…b½', 'ab'],
    ['', ''],
  ])('makes %j into %j', (text, slug) => {
    expect(slugify(text)).toBe(slug)
  })

  it('returns letters and digits for a text of emoji', () => {
    expect(slugify('🎉🎉')).toMatch(/^[A-Za-z0-9]+$/)
  })

  it('does not change slugs', () => {
    for (const text of ['日本', 'Ünïcode ß', '  A b.c~d_e  ', '*', 'Чай']) {
      expect(slugify(slugify(text))).toBe(slugify(text))
    }
  })
})

describe('slugifyStreamId', () => {
  it.each([
    ['My stream', 'My-stream'],
    [':dummy:My stream', ':dummy:My-stream'],
    [':dummy:', ':dummy:'],
    [':_cmc:apps:My App:x y', ':_cmc:apps:My App:x y'],
    ['a:b', 'ab'],
  ])('makes %j into %j', (id, slug) => {
    expect(slugifyStreamId(id)).toBe(slug)
  })
})

describe('splitStorePrefix', () => {
  it.each([
    ['heart', 'local', '', 'heart'],
    ['*', 'local', '', '*'],
    [':_audit:access-1', '_audit', ':_audit:', 'access-1'],
    [':_audit:access-1:2', '_audit', ':_audit:', 'access-1:2'],
    [':_audit:', '_audit', ':_audit:', ''],
    [':_system:language', '_system', ':_system:', 'language'],
    [':system:email', '_system', ':system:', 'email'],
    [':dummy:a', 'dummy', ':dummy:', 'a'],
    [':_cmc:apps:x', 'local', '', ':_cmc:apps:x'],
    [':_shared-secrets:a1', 'local', '', ':_shared-secrets:a1'],
    [':_emails:', 'local', '', ':_emails:'],
    [':broken', 'local', '', ':broken'],
    ['::x', 'local', '', '::x'],
  ])('finds the store of %j', (id, store, prefix, item) => {
    expect(splitStorePrefix(id)).toEqual({ store, prefix, item })
  })
})

describe('reserved words', () => {
  it('are null, undefined and * for streams', () => {
    expect(['null', 'undefined', '*'].every(isReservedId)).toBe(true)
    expect(['size', '__proto__', 'Null', ''].some(isReservedId)).toBe(false)
  })

  it('include inherited object members for tokens', () => {
    const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
    expect([...inherited, 'prototype', 'null', '*'].every(isReservedToken)).toBe(true)
    expect(isReservedToken('size')).toBe(false)
  })
})

describe('hasForbiddenCharacter', () => {
  it.each(['"', "'", '\\', '\0', '\b', '\t', '\n', '\r', '\u001a'])('refuses %j', (character) => {
    expect(hasForbiddenCharacter(`a${character}b`)).toBe(true)
  })

  it('accepts ordinary and prefixed ids', () => {
    expect(['a-b_c.d~e', ':_cmc:apps:x', 'b', 'été', '!'].some(hasForbiddenCharacter)).toBe(false)
  })
})
