/**
 * The chart library of the pages: uPlot, as its authors built it. Its files lie beside those of a built node, else in the installed
 * package. A node reads them with the first page of charts.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAsset, type Asset } from '../../assets.js'

/** Folder of the files, relative to this module, in a build (build.js); absent for sources. */
declare const UPLOT_FOLDER: string | undefined

const folder = (): string =>
  typeof UPLOT_FOLDER === 'undefined' ? dirname(createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css')) : fileURLToPath(new URL(UPLOT_FOLDER, import.meta.url))

let assets: readonly Asset[] | undefined

/** Returns the style sheet and the script of the library. */
export function chartLibrary(): readonly Asset[] {
  const read = (name: string): string => readFileSync(join(folder(), name), 'utf8')
  return (assets ??= [createAsset('uplot', 'css', read('uPlot.min.css')), createAsset('uplot', 'js', read('uPlot.iife.min.js'))])
}
