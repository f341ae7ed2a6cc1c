/** Where the tools, their runs, jobs and files are. */
export const GIS_PREFIX = '/enterprise/v1/gis'
