/** An entry of the directory of applications (specification, "Application directory entry"). */
import * as z from 'zod'
import { hasUnsafeScheme } from '../../store/model/urlScheme.js'

/** A text, or one for each of several languages. */
const Words = z.union([z.string(), z.record(z.string(), z.string())])

const address = z.string().refine((text) => !hasUnsafeScheme(text), { error: 'Expected the address of a page or an app.' })

/** What is said of an application; its id is beside it. Fields that are not known are passed on. */
export const AppEntry = z.looseObject({
  displayName: Words.optional(),
  description: Words.optional(),
  iconURL: z.string().optional(),
  appURL: address.optional(),
  active: z.boolean().optional(),
  onboarding: z.boolean().optional(),
  category: z.string().optional(),
  support: z.array(z.string()).optional(),
  settingsPageURL: address.optional(),
})

export type AppEntry = z.output<typeof AppEntry>
