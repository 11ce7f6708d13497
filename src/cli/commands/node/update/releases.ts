/** Reads the releases of CHANGELOG.md, which is part of the package. */
import { isOlder } from '../shared/versionOrder.js'

export interface Release {
  version: string
  /** Text in parentheses after the version: a date, or `unreleased`. */
  date: string | null
  /** Text of each entry, without line breaks. */
  entries: string[]
}

/** Parses the text: headings `## <version> (<date>)`, entries that begin with `- `. */
export function releasesIn(text: string): Release[] {
  const releases: Release[] = []
  for (const line of text.split('\n')) {
    const heading = /^## \[?v?(\d+\.[\w.-]+)\]?(?:[^(]*\((.*)\))?/.exec(line)
    const release = releases.at(-1)
    if (heading !== null) releases.push({ version: heading[1] ?? '', date: heading[2] ?? null, entries: [] })
    else if (release === undefined) continue
    else if (line.startsWith('- ')) release.entries.push(line.slice(2).trim())
    else if (line.startsWith('  ') && release.entries.length > 0) release.entries.push(`${release.entries.pop() ?? ''} ${line.trim()}`)
  }
  return releases
}

/** Returns the releases after a version, newest first as in the text. */
export const releasesSince = (text: string, version: string): Release[] => releasesIn(text).filter((release) => isOlder(version, release.version))
