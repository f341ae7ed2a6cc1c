/** Drivers that lead to other files or addresses; for the GDAL_SKIP of the processes that load GDAL. */
export const SKIPPED_DRIVERS = [
  ...['VRT', 'OGR_VRT', 'DERIVED', 'WMS', 'WCS', 'WMTS', 'WFS', 'OAPIF', 'OGCAPI', 'HTTP', 'CSW', 'GMLAS', 'NAS'],
  ...['Elasticsearch', 'Carto', 'AmigoCloud', 'PLSCENES', 'NGW', 'EEDA', 'EEDAI', 'DAAS', 'STACTA', 'STACIT', 'MRF'],
  ...['PostGISRaster', 'PostgreSQL', 'MySQL', 'MSSQLSpatial', 'ODBC', 'PGeo', 'OGR_PDS', 'OGR_OGDI', 'PLMOSAIC'],
]
