import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { releasesIn, releasesSince } from '../../../../../src/cli/commands/node/update/releases.js'
import { productVersion } from '../../../../../src/server/base/version.js'

const text = `# Changelog

About this file.
- not an entry

## 0.10.0 (unreleased)

- One entry that
  continues on a second line.
- Another one.

## [0.9.1] - see below (2027-01-02)

Introduction.

- A fix.

## 0.9.0
`

describe('the changelog', () => {
  it('is read as releases with their entries', () =>
    expect(releasesIn(text)).toEqual([
      { version: '0.10.0', date: 'unreleased', entries: ['One entry that continues on a second line.', 'Another one.'] },
      { version: '0.9.1', date: '2027-01-02', entries: ['A fix.'] },
      { version: '0.9.0', date: null, entries: [] },
    ]))

  it.each([
    ['0.8', ['0.10.0', '0.9.1', '0.9.0']],
    ['0.9.0', ['0.10.0', '0.9.1']],
    ['0.9.1', ['0.10.0']],
    ['0.10.0', []],
    ['1.0.0', []],
  ])('has the releases since %s', (since, versions) => expect(releasesSince(text, since).map(({ version }) => version)).toEqual(versions))

  it('of this version begins with it', () => {
    const [first] = releasesIn(readFileSync(new URL('../../../../../CHANGELOG.md', import.meta.url), 'utf8'))
    expect(first?.version).toBe(productVersion())
    expect(first?.entries.length).toBeGreaterThan(10)
  })
})
