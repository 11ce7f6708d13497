/** An entry of the directory of applications (specification, "Application directory entry"). */
import * as z from 'zod'
import { hasUnsafeScheme } from '../../store/model/urlScheme.js'

/** A text, or one for each of several languages. */
const Words = z.union([z.string(), z.record(z.string(), z.string())])

const address = z.string().refine((text) => !hasUnsafeScheme(text), { error: 'Expected the address of a page or an app.' })

/** What is said of an application; its id is beside it. Fields that are not known are passed on. */
export const AppEntry = z.looseObject({
  displayName: Words.optional().describe('Name: a text, or a text for each language.'),
  description: Words.optional().describe('Description: a text, or a text for each language.'),
  iconURL: z.string().optional().describe('Address of the icon.'),
  appURL: address.optional().describe('Address of the application.'),
  active: z.boolean().optional().describe('false hides the application.'),
  onboarding: z.boolean().optional().describe('true for an application to start with.'),
  category: z.string().optional().describe('Category.'),
  support: z.array(z.string()).optional().describe('Contact addresses.'),
  settingsPageURL: address.optional().describe('Address of its settings page.'),
})

export type AppEntry = z.output<typeof AppEntry>
