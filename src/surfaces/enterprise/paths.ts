/** Paths of tools, runs, jobs and files. */
export const GIS_PREFIX = '/enterprise/v1/gis'
