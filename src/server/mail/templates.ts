/**
 * Mail templates in the platform records: Pug sources by type, language and part (docs/interface/system.md#mail). Recently read
 * sources are cached until the registry reports a change.
 */
import type { Records } from '../platform/registry/port.js'

/** Family of the template records in the registry. */
const FAMILY = 'mail-template'

export const templateParts = ['subject', 'html'] as const
type TemplatePart = (typeof templateParts)[number]

export interface TemplateId {
  type: string
  lang: string
  part: TemplatePart
}

/** A template with both parts. */
interface Template extends Record<TemplatePart, string> {
  lang: string
}

export interface Templates {
  /** Returns all sources, by type, language and part; `length` in characters. */
  list(): Promise<(TemplateId & { length: number })[]>
  read(id: TemplateId): Promise<string | undefined>
  put(id: TemplateId, source: string): Promise<void>
  /** Returns true if the template existed. */
  remove(id: TemplateId): Promise<boolean>
  /**
   * Returns the template of a type in a language, else in the language without its region, else in the default one. Only
   * templates with both parts count.
   */
  find(type: string, language: string | undefined): Promise<Template | undefined>
  stop(): void
}

const idOf = ({ type, lang, part }: TemplateId): string => `${type}/${lang}/${part}`

function readId(id: string): TemplateId | undefined {
  const [type, lang, name, more] = id.split('/')
  const part = templateParts.find((each) => each === name)
  return type === undefined || lang === undefined || part === undefined || more !== undefined ? undefined : { type, lang, part }
}

/** Checks whether a word can name a template type or language: one segment of a path and of a record's id. */
export const isTemplateWord = (word: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(word)

/** Creates the template store on the registry's records. `seed` writes the initial templates before the first use. */
export function createTemplates(
  records: Records,
  options: { defaultLang: string; seed: (put: Templates['put'], isEmpty: boolean) => Promise<void> },
): Templates {
  const cache = new Map<string, Promise<string | undefined>>()
  const stop = records.watch(FAMILY, (id) => cache.delete(id))
  let seeding: Promise<void> | undefined

  async function seedOnce(): Promise<void> {
    seeding ??= records.list(FAMILY).then((found) => options.seed(store, found.length === 0))
    try {
      await seeding
    } catch (error) {
      seeding = undefined
      throw error
    }
  }

  const store = (id: TemplateId, source: string): Promise<void> =>
    records.change(FAMILY, idOf(id), () => ({ put: source, result: undefined }))

  function read(id: string): Promise<string | undefined> {
    let found = cache.get(id)
    if (found === undefined) {
      found = records.get(FAMILY, id).then((value) => (typeof value === 'string' ? value : undefined))
      cache.set(id, found)
      found.catch(() => cache.delete(id))
    }
    return found
  }

  return {
    stop,
    async list() {
      await seedOnce()
      return (await records.list(FAMILY)).flatMap(({ id, value }) => {
        const read = readId(id)
        return read === undefined || typeof value !== 'string' ? [] : [{ ...read, length: value.length }]
      })
    },
    async read(id) {
      await seedOnce()
      return read(idOf(id))
    },
    async put(id, source) {
      await seedOnce()
      await store(id, source)
    },
    async remove(id) {
      await seedOnce()
      return records.change(FAMILY, idOf(id), (now) =>
        now === undefined ? { result: false } : { put: null, result: true },
      )
    },
    async find(type, language) {
      await seedOnce()
      for (const lang of languages(language, options.defaultLang)) {
        const [subject, html] = await Promise.all(templateParts.map((part) => read(idOf({ type, lang, part }))))
        if (subject !== undefined && html !== undefined) return { lang, subject, html }
      }
      return undefined
    },
  }
}

/** Returns the languages to try, in order: `fr-CH`, `fr`, the default. */
function languages(input: string | undefined, fallback: string): Set<string> {
  const exact = input?.trim().replaceAll('_', '-') ?? ''
  const base = exact.split('-')[0]?.toLowerCase() ?? ''
  return new Set([exact, base, fallback].filter(isTemplateWord))
}
