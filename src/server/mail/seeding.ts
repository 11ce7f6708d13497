/** Initial templates of a store: from the operator's folder, or else built in (docs/interface/system.md#mail). */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import { bundled } from './bundled/all.js'
import { mailKinds } from './kinds.js'
import { isTemplateWord, templateParts, type TemplateId } from './templates.js'

interface Seed {
  id: TemplateId
  source: string
}

/** Returns the built-in templates under their configured names. */
export function bundledSeeds(config: Config): Seed[] {
  return Object.entries(bundled).flatMap(([lang, types]) =>
    Object.values(mailKinds).flatMap(({ type: own, template }) => {
      const sources = types[own]
      if (sources === undefined) return []
      const type = config.get(template)
      return templateParts.map((part) => ({ id: { type, lang, part }, source: sources[part] }))
    }),
  )
}

/** Returns the templates for a store without any. Logs a warning for a folder that is unreadable or holds none. */
export async function firstSeeds(config: Config, log: Log): Promise<Seed[]> {
  const folder = config.get('services.email.templatesRootDir')
  if (folder !== null && folder !== '') {
    try {
      const found = await seedsIn(folder)
      if (found.length > 0) return found
      log.warn('services.email.templatesRootDir holds no templates; using the built-in ones', { folder })
    } catch (error) {
      log.warn('services.email.templatesRootDir cannot be read; using the built-in templates', { folder, cause: String(error) })
    }
  }
  return bundledSeeds(config)
}

/** Reads the files `<type>/<lang>/<part>.pug` of a folder. */
async function seedsIn(root: string): Promise<Seed[]> {
  const seeds: Seed[] = []
  for (const type of await foldersIn(root)) {
    for (const lang of await foldersIn(join(root, type))) {
      for (const part of templateParts) {
        const source = await readFile(join(root, type, lang, `${part}.pug`), 'utf8').catch(() => undefined)
        if (source !== undefined) seeds.push({ id: { type, lang, part }, source })
      }
    }
  }
  return seeds
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && isTemplateWord(entry.name)).map(({ name }) => name).sort()
}
