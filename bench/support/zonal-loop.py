"""Zonal statistics as rasterstats makes them: for each zone a window, a mask of cell centres, numpy's figures."""
import json
import sys

import numpy
import rasterio
from rasterio.features import geometry_mask, geometry_window

zones_path, raster_path, out_path = sys.argv[1:]
with open(zones_path) as file:
    zones = json.load(file)
with rasterio.open(raster_path) as raster:
    for zone in zones["features"]:
        window = geometry_window(raster, [zone["geometry"]])
        cells = raster.read(1, window=window)
        outside = geometry_mask([zone["geometry"]], cells.shape, raster.window_transform(window))
        held = numpy.ma.masked_array(cells, mask=outside | (cells == raster.nodata)).compressed()
        figures = {"count": held.size}
        if held.size:
            figures.update(mean=held.mean(dtype="float64"), min=held.min(), max=held.max(), sum=held.sum(dtype="float64"))
        zone["properties"].update({name: float(value) for name, value in figures.items()})
with open(out_path, "w") as file:
    json.dump(zones, file)
