"""Writes files with the Python libraries that many programs are built on. Arguments: the library, and a folder."""
import os
import sys

# of the sides of pictures and the numbers of pages; of features, its square
SCALE = int(os.environ.get('SCALE', '1'))
LINES = [f'Line {i}: The quick brown fox jumps over the lazy dog.' for i in range(1, 21)]


def reportlab(folder):
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen import canvas
    # ASCII85 around Flate is the default
    pdf = canvas.Canvas(f'{folder}/reportlab.pdf', pagesize=A4, invariant=1)
    for page in range(2 * SCALE):
        pdf.setFont('Helvetica', 11)
        for i, line in enumerate(LINES):
            pdf.drawString(60, 780 - 18 * i, f'Page {page + 1}. {line}')
        pdf.setFillColorRGB(0.2, 0.4, 0.8)
        pdf.rect(60, 200, 200, 100, fill=1)
        pdf.setFillColorRGB(0, 0, 0)
        pdf.bookmarkPage(f'p{page}')
        pdf.addOutlineEntry(f'Page {page + 1}', f'p{page}')
        pdf.showPage()
    pdf.save()
    form = canvas.Canvas(f'{folder}/reportlab-form.pdf', pagesize=A4, invariant=1)
    form.drawString(60, 700, 'Name:')
    form.acroForm.textfield(name='name', x=120, y=690, width=200, height=20)
    form.acroForm.checkbox(name='agree', x=120, y=650, buttonStyle='check')
    for i, value in enumerate(['a', 'b']):
        form.acroForm.radio(name='kind', value=value, selected=i == 0, x=120 + 40 * i, y=610)
    form.acroForm.choice(name='colour', options=['red', 'green'], value='red', x=120, y=570, width=100, height=20)
    form.save()


def cairo(folder):
    import cairo
    surface = cairo.PDFSurface(f'{folder}/cairo.pdf', 300, 400)
    context = cairo.Context(surface)
    for page in range(2 * SCALE):
        context.select_font_face('DejaVu Sans')
        context.set_font_size(11)
        for i, line in enumerate(LINES[:12]):
            context.move_to(10, 30 + 18 * i)
            context.show_text(line[:36])
        context.set_source_rgba(1, 0, 0, 0.5)
        context.arc(150, 320, 50, 0, 6.3)
        context.fill()
        context.set_source_rgb(0, 0, 0)
        context.show_page()
    surface.finish()
    picture = cairo.ImageSurface(cairo.FORMAT_ARGB32, 120 * SCALE, 80 * SCALE)
    context = cairo.Context(picture)
    context.scale(SCALE, SCALE)
    context.set_source_rgba(0, 0.5, 1, 0.7)
    context.arc(60, 40, 30, 0, 6.3)
    context.fill()
    picture.write_to_png(f'{folder}/cairo.png')


def pillow(folder):
    from PIL import Image
    gradient = Image.new('RGB', (96, 64))
    gradient.putdata([(x * 2, y * 3, (x + y) % 256) for y in range(64) for x in range(96)])
    gradient = gradient.resize((96 * SCALE, 64 * SCALE), Image.Resampling.BICUBIC)
    gradient.save(f'{folder}/pillow.jpg', quality=90, dpi=(300, 300))
    gradient.save(f'{folder}/pillow-progressive.jpg', quality=85, progressive=True, optimize=True)
    gradient.convert('L').save(f'{folder}/pillow-grey.jpg')
    gradient.convert('CMYK').save(f'{folder}/pillow-cmyk.jpg')
    gradient.save(f'{folder}/pillow.png', dpi=(150, 150))
    gradient.convert('P', palette=Image.Palette.ADAPTIVE, colors=64).save(f'{folder}/pillow-palette.png')
    gradient.convert('1').save(f'{folder}/pillow-bilevel.png')
    gradient.convert('I').point(lambda v: v * 200).convert('I;16').save(f'{folder}/pillow-16.png')
    gradient.save(f'{folder}/pillow.webp', lossless=True)
    gradient.save(f'{folder}/pillow-lossy.webp', quality=80)
    gradient.save(f'{folder}/pillow.bmp')
    gradient.save(f'{folder}/pillow-lzw.tif', compression='tiff_lzw', dpi=(300, 300))
    gradient.convert('1').save(f'{folder}/pillow-g4.tif', compression='group4')
    gradient.save(f'{folder}/pillow-pages.tif', save_all=True, append_images=[gradient.rotate(90)])
    gradient.quantize(32).save(f'{folder}/pillow.gif')
    frames = [gradient.rotate(30 * i).quantize(16) for i in range(3)]
    frames[0].save(f'{folder}/pillow-animated.gif', save_all=True, append_images=frames[1:], duration=100)
    gradient.save(f'{folder}/pillow.pdf')


def frame():
    import geopandas
    from shapely.geometry import Polygon
    count = SCALE ** 2
    corners = [(13 + i % 50 / 10, 52 + i // 50 / 10) for i in range(5 * count)]
    shapes = [Polygon([(x, y), (x + 0.08, y), (x + 0.04, y + 0.06)]) for x, y in corners]
    return geopandas.GeoDataFrame(
        {'name': ['Mitte', 'Köln', None, 'قراءة', 'a,"b"'] * count, 'count': [1, 2, 3, 4, 5] * count,
         'share': [0.5, 1.25, -3, 1e-9, None] * count},
        geometry=shapes, crs='EPSG:4326')


def geopandas(folder):
    import shutil
    layer = frame()
    layer.to_file(f'{folder}/geopandas.geojson', driver='GeoJSON')
    layer.to_file(f'{folder}/geopandas.gpkg', driver='GPKG', layer='areas')
    layer.to_crs('EPSG:25833').to_file(f'{folder}/geopandas-utm.gpkg', driver='GPKG', layer='areas')
    layer.to_file(f'{folder}/geopandas.fgb', driver='FlatGeobuf')
    work = f'{folder}/shp'
    layer.to_crs('EPSG:25833').to_file(f'{work}/geopandas.shp', encoding='utf-8') if os.makedirs(work) is None else None
    shutil.make_archive(f'{folder}/geopandas-shp', 'zip', work)
    shutil.rmtree(work)
    points = layer.copy()
    points['lon'], points['lat'] = layer.centroid.x, layer.centroid.y
    points.drop(columns='geometry').to_csv(f'{folder}/pandas.csv', index=False)


def pyogrio(folder):
    # brings its own GDAL
    sys.path.insert(0, f'{folder}/pyogrio')
    layer = frame()
    layer.to_file(f'{folder}/pyogrio.gpkg', driver='GPKG', layer='areas', engine='pyogrio')
    layer.to_file(f'{folder}/pyogrio.fgb', driver='FlatGeobuf', engine='pyogrio')


def qgis(folder):
    from qgis.core import (
        QgsApplication, QgsCoordinateTransformContext, QgsVectorFileWriter, QgsVectorLayer)
    os.environ.setdefault('QT_QPA_PLATFORM', 'offscreen')
    application = QgsApplication([], False)
    application.initQgis()
    layer = QgsVectorLayer(f'{folder}/geopandas.gpkg|layername=areas', 'areas', 'ogr')
    for driver, name in [('GPKG', 'qgis.gpkg'), ('GeoJSON', 'qgis.geojson'), ('KML', 'qgis.kml')]:
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName, options.layerName = driver, 'areas'
        error = QgsVectorFileWriter.writeAsVectorFormatV3(layer, f'{folder}/{name}', QgsCoordinateTransformContext(), options)
        if error[0] != QgsVectorFileWriter.NoError:
            raise RuntimeError(error[1])
    application.exitQgis()


def rasterio(folder):
    import numpy
    import rasterio
    from rasterio.transform import from_origin
    cells = numpy.tile((numpy.arange(64 * 48).reshape(48, 64) % 251).astype('float32'), (SCALE, SCALE))
    cells[:5, :5] = -9999
    base = {'driver': 'GTiff', 'width': 64 * SCALE, 'height': 48 * SCALE, 'count': 1, 'crs': 'EPSG:25833', 'transform': from_origin(390000, 5820000, 10, 10)}
    with rasterio.open(f'{folder}/rasterio.tif', 'w', dtype='float32', nodata=-9999, compress='deflate', predictor=3, **base) as out:
        out.write(cells, 1)
    with rasterio.open(f'{folder}/rasterio-tiled.tif', 'w', dtype='int16', nodata=-9999, tiled=True, blockxsize=16, blockysize=16, compress='lzw', **base) as out:
        out.write(cells.astype('int16'), 1)
    three = {**base, 'count': 3}
    with rasterio.open(f'{folder}/rasterio-rgb.tif', 'w', dtype='uint8', photometric='RGB', **three) as out:
        for band in range(3):
            out.write(numpy.tile(((numpy.arange(64 * 48).reshape(48, 64) * (band + 1)) % 256).astype('uint8'), (SCALE, SCALE)), band + 1)


if __name__ == '__main__':
    globals()[sys.argv[1]](sys.argv[2])
